// A data server: reads an index and serves samples to the trainers.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

void warm_up(int shards)
{
	std::printf("dataserver 2.4.1 (threads=8, prefetch=64)\n");
	for (int i = 0; i < shards; i++)
		std::printf("[dataserver] shard %d: %d samples, %.1f MB/s\n", i,
		    4096 + 17 * i, 210.5 + i);
	std::fflush(stdout);
}

int index_missing()
{
	auto size = std::filesystem::file_size("/mnt/data/index/train.idx");
	return size > 0;
}

int too_big()
{
	std::vector<std::vector<double>> blocks;
	for (int i = 0; i < 64; i++) {
		blocks.emplace_back(16u << 20);
		std::printf("[dataserver] cached block %d (%zu MB)\n", i,
		    (i + 1) * sizeof(double) * 16);
		std::fflush(stdout);
	}
	return static_cast<int>(blocks.size() - 64);
}

int out_of_range()
{
	std::vector<int> offsets(128);
	return offsets.at(static_cast<std::size_t>(128));
}

int freed_twice()
{
	char *sample = static_cast<char *>(std::malloc(64));
	std::memset(sample, 1, 64);
	char *volatile again = sample;
	std::free(sample);
	std::free(again);
	return 1;
}

int protocol()
{
	throw std::runtime_error("peer speaks protocol 3, this server only 2");
}

} // namespace

int main(int argc, char **argv)
{
	const std::string what = argc > 1 ? argv[1] : "";

	warm_up(9);
	if (what == "index")
		return index_missing();
	if (what == "cache")
		return too_big();
	if (what == "offsets")
		return out_of_range();
	if (what == "release")
		return freed_twice();
	return protocol();
}
