#include <stdio.h>
#include <string.h>

/* Prints each line backwards, whatever its length. */
#include <stdlib.h>

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	while ((n = getline(&line, &room, stdin)) > 0) {
		if (line[n - 1] == '\n')
			n--;
		for (ssize_t i = n - 1; i >= 0; i--)
			putchar(line[i]);
		putchar('\n');
	}
	free(line);
	return 0;
}
