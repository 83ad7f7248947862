package transformer

import "math"

// halfInf is infinity in binary16; every NaN has the same exponent bits.
const halfInf = 0x7c00

// toHalf rounds to the nearest number of IEEE 754 binary16, ties to even; a number beyond
// its range becomes infinite. x must not be NaN.
func toHalf(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits >> 16 & 0x8000)
	size := bits &^ (1 << 31)
	if size < 0x38800000 { // below 2^-14: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(size))*(1<<24)))
	}
	size += 0xfff + size>>13&1    // to the nearest number with 13 bits less
	size = (size - 112<<23) >> 13 // the bias of exponents is 112 larger in float32
	return sign | uint16(min(size, halfInf))
}

// fromHalf is exact.
func fromHalf(h uint16) float32 {
	sign, size := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	var x float32
	switch {
	case size < 1<<10: // a multiple of 2^-24
		x = float32(size) / (1 << 24)
	case size >= halfInf: // infinite or NaN
		x = math.Float32frombits(0x7f800000 | size<<13)
	default:
		x = math.Float32frombits(size<<13 + 112<<23)
	}
	return math.Float32frombits(math.Float32bits(x) | sign)
}
