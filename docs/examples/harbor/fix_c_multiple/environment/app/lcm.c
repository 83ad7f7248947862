#include <stdio.h>

/* lcm returns the least common multiple of two numbers above 0. */
static int lcm(int a, int b)
{
	int x = a, y = b;
	while (y != 0) {
		int rest = x % y;
		x = y;
		y = rest;
	}
	return a * b / x;
}

int main(void)
{
	unsigned long long a, b;
	while (scanf("%llu %llu", &a, &b) == 2)
		printf("%llu\n", lcm(a, b));
	return 0;
}
