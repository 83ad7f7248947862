//go:build heavy

package files

const (
	strides   = 1    // of places to damage, all but the first of so many are passed over
	damageAt  = 5000 // random places that are damaged
	histories = 20   // times 100, of a disk that fails
)
