/* Counts the words of its input; options the way POSIX reads them. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long limit = 1000, words = 0;
	int c, in = 0, option;

	setlocale(LC_ALL, "");
	while ((option = getopt(argc, argv, "l:")) != -1) {
		if (option != 'l') {
			fprintf(stderr, "tokenise [-l limit] <text\n");
			return 2;
		}
		limit = strtol(optarg, NULL, 10);
	}
	while ((c = getchar()) != EOF && words < limit) {
		words += !in && !isspace(c);
		in = !isspace(c);
	}
	printf("%ld\n", words);
	return 0;
}
