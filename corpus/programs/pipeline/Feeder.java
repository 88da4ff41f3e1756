/** Feeds records to the trainer; args[0] says what is wrong with them. */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class Feeder {
	static class QuotaPlanException extends RuntimeException {
		QuotaPlanException(String text, Throwable cause) {
			super(text, cause);
		}
	}

	static class LedgerException extends Exception {
		LedgerException(String text) {
			super(text);
		}
	}

	static int plan(int part) throws LedgerException {
		if (part == 3)
			throw new LedgerException("part 3 was booked twice: "
				+ "run 118 and run 121");
		return part * 2;
	}

	static int feed(int part) {
		try {
			return plan(part);
		} catch (LedgerException e) {
			throw new QuotaPlanException("cannot plan part " + part,
				e);
		}
	}

	static void pool() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(2);
		List<Future<Integer>> parts = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			final int part = i;
			parts.add(threads.submit(() -> feed(part)));
		}
		try {
			for (Future<Integer> part : parts)
				System.out.println("INFO  feeder - fed "
					+ part.get());
		} finally {
			threads.shutdown();
		}
	}

	static void offsets() {
		long[] offsets = {0, 4096, 8192, 8100, 16384};
		for (int i = 1; i < offsets.length; i++) {
			System.out.println("INFO  feeder - block " + i + " at "
				+ offsets[i]);
			assert offsets[i] > offsets[i - 1]
				: "offsets not ascending at block " + i;
		}
	}

	static void poke() throws Exception {
		Class<?> type = Class.forName("sun.misc.Unsafe");
		var field = type.getDeclaredField("theUnsafe");
		field.setAccessible(true);
		System.out.println("INFO  feeder - direct buffer at 0x10");
		((sun.misc.Unsafe) field.get(null)).putLong(16L, 7L);
	}

	public static void main(String[] args) throws Exception {
		System.out.println("INFO  feeder - start, 2 threads");
		switch (args[0]) {
		case "pool" -> pool();
		case "offsets" -> offsets();
		default -> poke();
		}
	}
}
