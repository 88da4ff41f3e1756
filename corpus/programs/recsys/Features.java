package lab.features;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Builds the feature tables of a click model and trains its first stage. */
public final class Features {
	private static int millis = 5218;
	private final Properties options = new Properties();
	private final double[] weights = new double[8];

	interface Index {
		void append(long item, float[] vector);
	}

	/** An index of 8-bit codes: made once, read often. */
	static final class Quantised implements Index {
		@Override
		public void append(long item, float[] vector) {
			throw new UnsupportedOperationException(
				"append to a quantised index is not implemented yet");
		}
	}

	record Profile(long user, String country, List<Integer> history) {
	}

	static void say(String thread, String level, String text) {
		millis += 317;
		System.out.printf("08:00:%02d.%03d [%s] %-5s l.f.Features - %s%n",
			millis / 1000 % 60, millis % 1000, thread, level, text);
	}

	/** Logistic regression on clicks of its own making. */
	private void train(int steps) {
		java.util.Random random = new java.util.Random(11);
		for (int step = 1; step <= steps; step++) {
			double loss = 0;
			for (int row = 0; row < 64; row++) {
				double[] x = new double[8];
				double z = 0;
				for (int i = 0; i < 8; i++) {
					x[i] = random.nextGaussian();
					z += weights[i] * x[i];
				}
				double y = x[0] - x[3] > 0 ? 1 : 0;
				double p = 1 / (1 + Math.exp(-z));
				loss -= Math.log(y > 0 ? p : 1 - p) / 64;
				for (int i = 0; i < 8; i++)
					weights[i] += 0.02 * (y - p) * x[i];
			}
			if (step % 20 == 0)
				say("main", "INFO", String.format(
					"step %d logloss %.4f", step, loss));
		}
	}

	private List<String> lines(Path path) {
		try {
			return Files.readAllLines(path, StandardCharsets.UTF_8);
		} catch (IOException e) {
			throw new UncheckedIOException(e);
		}
	}

	void store() {
		train(60);
		Path table = Path.of("store/2025-03-10/items.tsv");
		try {
			lines(table);
		} catch (UncheckedIOException e) {
			throw new IllegalStateException(
				"cannot refresh table 'items'", e);
		}
	}

	void titles() throws IOException {
		Files.write(Path.of("titles.tsv"),
			"17\tJardin d'\u00e9t\u00e9\n".getBytes(
				StandardCharsets.ISO_8859_1));
		train(20);
		say("main", "INFO", "joining titles.tsv with items");
		say("main", "INFO", lines(Path.of("titles.tsv")).size() + " titles");
	}

	void tokenizer() {
		say("main", "WARN", "no GPU build of the tokenizer, trying the CPU's");
		System.loadLibrary("subword_jni");
	}

	void heap() throws Exception {
		train(40);
		ExecutorService pool = Executors.newFixedThreadPool(2);
		Future<Integer> cached = pool.submit(() -> {
			List<float[]> table = new ArrayList<>();
			for (int shard = 0; shard < 4096; shard++) {
				table.add(new float[262144]);
				if (shard % 8 == 0)
					say("cache-1", "DEBUG", "cached shard " + shard);
			}
			return table.size();
		});
		try {
			say("main", "INFO", "cached " + cached.get() + " shards");
		} finally {
			pool.shutdownNow();
		}
	}

	void cast() {
		Map<String, Object> row = new HashMap<>();
		row.put("dwell", 1843);
		train(40);
		String dwell = (String) row.get("dwell");
		say("main", "INFO", dwell);
	}

	void profiles() throws InterruptedException {
		List<Profile> users = List.of(
			new Profile(118, "NL", List.of(3, 4)),
			new Profile(204, null, List.of()),
			new Profile(377, "FR", List.of(9)));
		train(40);
		Thread loader = new Thread(() -> users.forEach(u ->
			say("loader-2", "DEBUG", u.country().toLowerCase() + "/"
				+ u.user())), "loader-2");
		loader.start();
		loader.join();
		train(20);
		say("main", "ERROR", "1 of 3 profiles loaded, giving up");
		System.exit(4);
	}

	void history() {
		int[] clicks = new int[50];
		train(60);
		for (int i = 0; i <= clicks.length; i++)
			clicks[i] = i * i;
	}

	void append() {
		train(40);
		Index index = new Quantised();
		say("main", "INFO", "nightly index: 81920 vectors, 8 bit");
		index.append(81921, new float[64]);
	}

	void rate() {
		train(60);
		int shown = 0;
		int clicked = 12;
		say("main", "INFO", "split 'cold_start': clicks per thousand "
			+ 1000 * clicked / shown);
	}

	void sampling() {
		options.setProperty("negatives.rate", "0,25");
		say("main", "INFO", "options " + options);
		double rate = Double.parseDouble(
			options.getProperty("negatives.rate"));
		say("main", "INFO", "sampling " + rate);
	}

	public static void main(String[] args) throws Exception {
		Features job = new Features();
		say("main", "INFO", "feature build " + args[0] + ", 2 threads");
		switch (args[0]) {
		case "store": job.store(); break;
		case "titles": job.titles(); break;
		case "tokenizer": job.tokenizer(); break;
		case "heap": job.heap(); break;
		case "cast": job.cast(); break;
		case "profiles": job.profiles(); break;
		case "history": job.history(); break;
		case "append": job.append(); break;
		case "rate": job.rate(); break;
		default: job.sampling();
		}
		say("main", "INFO", "feature build done");
	}
}
