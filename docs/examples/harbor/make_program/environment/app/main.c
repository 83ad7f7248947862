#include <stdio.h>
#include "sum.h"

int main(void)
{
	printf("%d\n", sum(2, 3));
	return 0;
}
