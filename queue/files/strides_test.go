//go:build !heavy

package files

const (
	strides   = 13  // of places to damage, all but the first of so many are passed over
	damageAt  = 500 // random places that are damaged
	histories = 1   // times 100, of a disk that fails
)
