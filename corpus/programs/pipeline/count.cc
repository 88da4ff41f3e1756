// Counts n-grams and checks itself with a macro that prints what glog prints.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>

#define CHECK_EQ(a, b) check((a), (b), #a " == " #b, __FILE__, __LINE__)

static void check(long a, long b, const char *text, const char *file, int line)
{
	if (a == b)
		return;
	std::fprintf(stderr,
	    "F0311 08:03:17.204611 %5d %s:%d] Check failed: %s "
	    "(%ld vs. %ld) \n*** Check failure stack trace: ***\n",
	    getpid(), file, line, text, a, b);
	std::abort();
}

int main()
{
	std::istringstream text("the cat saw the dog and the dog saw the cat");
	std::map<std::string, long> counts;
	std::string word, last;
	long pairs = 0, words = 0;

	while (text >> word) {
		if (!last.empty())
			counts[last + " " + word]++, pairs++;
		last = word;
		words++;
	}
	for (const auto &entry : counts)
		std::cout << "I0311 08:03:17.198042 " << getpid()
			  << " count.cc:38] " << entry.first << ": "
			  << entry.second << std::endl;
	CHECK_EQ(pairs, words);
	return 0;
}
