#include <stdio.h>

int main(void)
{
	static long m[100][100];
	int rows, columns;
	if (scanf("%d %d", &rows, &columns) != 2)
		return 1;
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			if (scanf("%ld", &m[i][j]) != 1)
				return 1;
	for (int j = 0; j < columns; j++) {
		for (int i = 0; i < rows; i++)
			printf(i > 0 ? " %ld" : "%ld", m[i][j]);
		printf("\n");
	}
	return 0;
}
