package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// A Type says how the values of a tensor are written, by ggml's number.
type Type uint32

// The types that can be read. All but the first three write blocks of values: the digit is the
// number of bits of each; 0 scales them, 1 shifts them too, K scales in two steps.
const (
	F32  Type = 0
	F16  Type = 1
	BF16 Type = 30
	Q4_0 Type = 2
	Q4_1 Type = 3
	Q5_0 Type = 6
	Q5_1 Type = 7
	Q8_0 Type = 8
	Q4_K Type = 12
	Q5_K Type = 13
	Q6_K Type = 14
)

// A form describes a type. The sizes are those of ggml's structures.
type form struct {
	name       string
	per, bytes int                                // values and bytes of a block; 0: the type is only known by name
	decode     func(dst []float32, blocks []byte) // one block, or any number if per is 1
}

// formOf returns the form of a type; the zero form if it has none.
func formOf(t Type) form {
	switch t {
	case F32:
		return form{"F32", 1, 4, decodeF32}
	case F16:
		return form{"F16", 1, 2, decodeF16}
	case BF16:
		return form{"BF16", 1, 2, decodeBF16}
	case Q4_0:
		return form{"Q4_0", 32, 18, decodeQ40}
	case Q4_1:
		return form{"Q4_1", 32, 20, decodeQ41}
	case Q5_0:
		return form{"Q5_0", 32, 22, decodeQ50}
	case Q5_1:
		return form{"Q5_1", 32, 24, decodeQ51}
	case Q8_0:
		return form{"Q8_0", 32, 34, decodeQ80}
	case Q4_K:
		return form{"Q4_K", 256, 144, decodeQ4K}
	case Q5_K:
		return form{"Q5_K", 256, 176, decodeQ5K}
	case Q6_K:
		return form{"Q6_K", 256, 210, decodeQ6K}
	}
	names := map[Type]string{
		9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S",
		23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4", 40: "NVFP4",
	}
	return form{name: names[t]}
}

// String returns the name of a type, or its number.
func (t Type) String() string {
	if name := formOf(t).name; name != "" {
		return name
	}
	return fmt.Sprintf("number %d", uint32(t))
}

// Readable reports whether Decode knows the type.
func (t Type) Readable() bool { return formOf(t).decode != nil }

// Readable lists the names of the types that can be read.
func Readable() string {
	var names []string
	for t := range Type(64) {
		if t.Readable() {
			names = append(names, t.String())
		}
	}
	return strings.Join(names, ", ")
}

// Block returns the values and bytes of a block; 0 for a type that is not Readable.
func (t Type) Block() (per, bytes int) {
	f := formOf(t)
	return f.per, f.bytes
}

// Decode writes the values of whole blocks to dst, which has as many values as the blocks. The
// type must be Readable. Each product and each sum is rounded to float32, as NumPy does.
func (t Type) Decode(dst []float32, blocks []byte) {
	f := formOf(t)
	if f.per == 1 {
		f.decode(dst, blocks)
		return
	}
	for ; len(blocks) > 0; dst, blocks = dst[f.per:], blocks[f.bytes:] {
		f.decode(dst[:f.per], blocks[:f.bytes])
	}
}

// Read reads dst, whole blocks of a Readable type.
func (t Type) Read(dst []float32, from io.Reader) error {
	per, size := t.Block()
	raw := make([]byte, min(len(dst)/per, 1<<18/size)*size)
	for len(dst) > 0 {
		n := min(len(dst), len(raw)/size*per)
		if _, err := io.ReadFull(from, raw[:n/per*size]); err != nil {
			return err
		}
		t.Decode(dst[:n], raw[:n/per*size])
		dst = dst[n:]
	}
	return nil
}

// half returns a number of IEEE 754 binary16.
func half(b []byte) float32 {
	h := binary.LittleEndian.Uint16(b)
	sign, size := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	var x float32
	switch {
	case size < 1<<10: // a multiple of 2^-24
		x = float32(size) / (1 << 24)
	case size >= 0x7c00: // infinite or NaN
		x = math.Float32frombits(0x7f800000 | size<<13)
	default:
		x = math.Float32frombits(size<<13 + 112<<23)
	}
	return math.Float32frombits(math.Float32bits(x) | sign)
}

func decodeF32(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

func decodeF16(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = half(b[2*i:])
	}
}

func decodeBF16(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(b[2*i:])) << 16)
	}
}

func decodeQ40(dst []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:] {
		dst[i], dst[i+16] = d*float32(int(q&15)-8), d*float32(int(q>>4)-8)
	}
}

func decodeQ41(dst []float32, b []byte) {
	d, m := half(b), half(b[2:])
	for i, q := range b[4:] {
		dst[i], dst[i+16] = float32(d*float32(q&15))+m, float32(d*float32(q>>4))+m
	}
}

func decodeQ50(dst []float32, b []byte) {
	d, high := half(b), binary.LittleEndian.Uint32(b[2:])
	for i, q := range b[6:] {
		low, up := int(q&15)|int(high>>i&1<<4), int(q>>4)|int(high>>(i+16)&1<<4)
		dst[i], dst[i+16] = d*float32(low-16), d*float32(up-16)
	}
}

func decodeQ51(dst []float32, b []byte) {
	d, m, high := half(b), half(b[2:]), binary.LittleEndian.Uint32(b[4:])
	for i, q := range b[8:] {
		low, up := int(q&15)|int(high>>i&1<<4), int(q>>4)|int(high>>(i+16)&1<<4)
		dst[i], dst[i+16] = float32(d*float32(low))+m, float32(d*float32(up))+m
	}
}

func decodeQ80(dst []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:] {
		dst[i] = d * float32(int8(q))
	}
}

// scaleAndMin returns the scale and the shift of one of the eight parts of a block of Q4_K or
// Q5_K: numbers of 6 bits, in 12 bytes.
func scaleAndMin(b []byte, part int) (scale, least byte) {
	if part < 4 {
		return b[part] & 63, b[part+4] & 63
	}
	return b[part+4]&15 | b[part-4]>>6<<4, b[part+4]>>4 | b[part]>>6<<4
}

func decodeQ4K(dst []float32, b []byte) { decodeK(dst, b, nil, b[16:]) }

func decodeQ5K(dst []float32, b []byte) { decodeK(dst, b, b[16:48], b[48:]) }

// decodeK decodes a block of Q4_K, or of Q5_K with its fifth bits: part p has its in bit p of high.
func decodeK(dst []float32, b, high, low []byte) {
	d, least := half(b), half(b[2:])
	for part := range 8 {
		s, m := scaleAndMin(b[4:16], part)
		scale, shift := d*float32(s), least*float32(m)
		for i := range 32 {
			q := low[part/2*32+i] >> (part % 2 * 4) & 15
			if high != nil {
				q |= high[i] >> part & 1 << 4
			}
			dst[part*32+i] = float32(scale*float32(q)) - shift
		}
	}
}

func decodeQ6K(dst []float32, b []byte) {
	d := half(b[208:])
	for i := range dst {
		half, quarter, at := i/128, i%128/32, i%32 // of the block
		q := b[half*64+quarter%2*32+at] >> (quarter / 2 * 4) & 15
		q |= b[128+half*32+at] >> (quarter * 2) & 3 << 4
		dst[i] = float32(d*float32(int8(b[192+i/16]))) * float32(int(q)-32)
	}
}
