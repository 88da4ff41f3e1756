"""torchrun, for PyTorch 1.13 under Python 3.11, where its reader of --tee and
--redirects finds no member of an enumeration for the value 0."""
from torch.distributed.elastic.multiprocessing.api import Std
from torch.distributed.run import main

Std.from_str = classmethod(lambda cls, value: cls(int(value)))

if __name__ == "__main__":
    main()
