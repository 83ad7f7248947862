#include <stdio.h>

/* lcm returns the least common multiple of two numbers above 0. */
static unsigned long long lcm(unsigned long long a, unsigned long long b)
{
	unsigned long long x = a, y = b;
	while (y != 0) {
		unsigned long long rest = x % y;
		x = y;
		y = rest;
	}
	return a / x * b;
}

int main(void)
{
	unsigned long long a, b;
	while (scanf("%llu %llu", &a, &b) == 2)
		printf("%llu\n", lcm(a, b));
	return 0;
}
