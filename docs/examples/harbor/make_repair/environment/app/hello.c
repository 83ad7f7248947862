#include <stdio.h>

#ifndef NAME
#define NAME "nobody"
#endif

int main(void)
{
	printf("hello, %s\n", NAME);
	return 0;
}
