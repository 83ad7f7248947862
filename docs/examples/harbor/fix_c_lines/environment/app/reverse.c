#include <stdio.h>
#include <string.h>

/* Prints each line backwards, whatever its length. */
int main(void)
{
	char line[64];
	while (fgets(line, sizeof line, stdin)) {
		for (int i = strlen(line) - 2; i > 0; i--)
			putchar(line[i]);
		putchar('\n');
	}
	return 0;
}
