#include <ctype.h>
#include <stdio.h>

/* Counts lines, words and bytes as wc does. */
int main(void)
{
	unsigned long lines = 0, words = 0, bytes = 0;
	int c, within = 0;
	while ((c = getchar()) != EOF) {
		bytes++;
		if (c == '\n')
			lines++;
		if (isspace(c))
			within = 0;
		else if (!within) {
			within = 1;
			words++;
		}
	}
	printf("%lu %lu %lu\n", lines, words, bytes);
	return 0;
}
