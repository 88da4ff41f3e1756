"""Run a notebook the way a nightly job does: nightly.py NAME. Its cells lie
in NAME.cells, separated by lines of three percent signs."""
import sys

import nbclient
import nbformat.v4 as nb
from nbclient.exceptions import CellExecutionError


class Client(nbclient.NotebookClient):
    """Says which cell runs, and shows what it prints."""

    async def async_execute_cell(self, cell, index, *args, **kwargs):
        print("[nightly] executing cell %d of %d" % (
            index + 1, len(self.nb.cells)), flush=True)
        try:
            return await super().async_execute_cell(
                cell, index, *args, **kwargs)
        finally:
            for out in cell.get("outputs", []):
                if out["output_type"] == "stream":
                    print(out["text"], end="", flush=True)

    execute_cell = nbclient.util.run_sync(async_execute_cell)


def main(name):
    with open(name + ".cells") as file:
        cells = file.read().split("%%%\n")
    book = nb.new_notebook(cells=[nb.new_code_cell(c.strip()) for c in cells])
    print("[nightly] %s.ipynb: %d cells, kernel python3" % (name, len(cells)))
    try:
        Client(book, timeout=300, kernel_name="python3").execute()
    except CellExecutionError:
        print("[nightly] notebook failed, partial copy in runs/%s.ipynb"
              % name, flush=True)
        raise


if __name__ == "__main__":
    main(sys.argv[1])
