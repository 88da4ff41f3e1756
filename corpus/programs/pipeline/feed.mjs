// Sends shards to the trainer; nobody waits for the promise that fails.
class ManifestError extends Error {
	constructor(text, options) {
		super(text, options);
		this.name = "ManifestError";
	}
}

async function open(shard) {
	if (shard === 4)
		throw new ManifestError("shard 4 is listed with two owners",
			{ cause: new Error("owners: pool-a, pool-c") });
	return { shard, rows: 1000 + shard };
}

async function main() {
	for (let shard = 0; shard < 6; shard++) {
		const part = await open(shard);
		console.log(`[feed] shard ${part.shard}: ${part.rows} rows`);
	}
}

main();
