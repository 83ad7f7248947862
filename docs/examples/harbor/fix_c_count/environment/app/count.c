#include <ctype.h>
#include <stdio.h>

/* Counts lines, words and bytes as wc does. */
int main(void)
{
	unsigned long lines = 0, words = 0, bytes = 0;
	signed char c;
	int within = 0;
	while ((c = getchar()) != EOF) {
		if (c != '\n')
			bytes++;
		if (c == '\n')
			lines++;
		else if (c == ' ')
			words++;
		else
			bytes--, bytes++;
		(void)within;
	}
	printf("%lu %lu %lu\n", lines, words, bytes);
	return 0;
}
