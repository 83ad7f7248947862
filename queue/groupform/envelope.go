package groupform

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/s2"
)

// The envelope of an encoded group; see docs/formats/group.md.
const (
	groupMagic = "QNGR"
	sumLen     = 4 // CRC-32C of all bytes before it
)

// The versions of the envelope: the packings of the fields.
const (
	packedSmall = 1 // as a Zstandard frame: for the network
	packedFast  = 2 // as a Snappy block, five times as fast and a quarter larger: for the disk
)

// maxDeflated is how many bytes one byte of Zstandard can hold: a block of 128 KiB takes
// four.
const maxDeflated = 32 << 10

// wrap packs fields into an envelope and appends it to dst.
func wrap(dst, fields []byte, version byte, pack func(dst, b []byte) []byte) []byte {
	from := len(dst)
	dst = grow(dst, len(groupMagic)+1+binary.MaxVarintLen64+mostPacked(len(fields))+sumLen)
	dst = append(append(dst, groupMagic...), version)
	dst = pack(binary.AppendUvarint(dst, uint64(len(fields))), fields)
	return binary.LittleEndian.AppendUint32(dst, sumOf(dst[from:]))
}

func (c *Codec) appendSmall(dst, b []byte) []byte { return c.deflater.EncodeAll(b, dst) }

// appendPlain appends b as a Snappy block of one literal.
func appendPlain(dst, b []byte) []byte {
	const literal = 63 << 2 // followed by its length less one, in four bytes
	dst = append(binary.AppendUvarint(dst, uint64(len(b))), literal)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b)-1))
	return appendAll(dst, b)
}

// inflate returns the fields of b, in the memory of fields if they fit.
func (c *Codec) inflate(b, fields []byte) ([]byte, error) {
	e, err := unwrap(b)
	if err != nil {
		return nil, err
	}
	if e.size > uint64(c.limit) {
		return nil, envelopeError("takes %d bytes inflated, want at most %d", e.size, c.limit)
	}
	if e.size > uint64(maxDeflated*len(e.packed)) {
		return nil, envelopeError("takes %d bytes inflated, more than %d bytes can hold", e.size, len(e.packed))
	}
	if cap(fields) < int(e.size) {
		fields = make([]byte, 0, e.size)
	}
	if e.version == packedFast {
		fields, err = inflateFast(fields, e)
	} else {
		fields, err = c.inflater.DecodeAll(e.packed, fields[:0:e.size]) // the capacity is the limit
	}
	if err != nil {
		return nil, envelopeError("cannot be inflated: %v", err)
	}
	if uint64(len(fields)) != e.size {
		return nil, envelopeError("inflates to %d bytes, want the announced %d", len(fields), e.size)
	}
	return fields, nil
}

// inflateFast inflates a Snappy block into b, which has room.
func inflateFast(b []byte, e envelope) ([]byte, error) {
	n, err := s2.DecodedLen(e.packed)
	if err != nil {
		return nil, err
	}
	if uint64(n) != e.size {
		return nil, fmt.Errorf("its block has %d bytes", n)
	}
	if n <= atOnce {
		return s2.Decode(b[:cap(b)], e.packed)
	}
	_, head := binary.Uvarint(e.packed)
	b, ok := unpack(b[:0:n], e.packed[head:])
	if !ok || len(b) != n {
		return nil, s2.ErrCorrupt
	}
	return b, nil
}

// An envelope is the bytes around the fields.
type envelope struct {
	version byte
	size    uint64 // announced size of the inflated fields
	packed  []byte
}

// unwrap checks the envelope of b.
func unwrap(b []byte) (e envelope, err error) {
	if e, err = open(b); err != nil {
		return e, err
	}
	rest, sum := b[:len(b)-sumLen], binary.LittleEndian.Uint32(b[len(b)-sumLen:])
	if got := sumOf(rest); got != sum {
		return e, envelopeError("has the checksum %08x, want %08x: bytes were lost or changed", sum, got)
	}
	return e, nil
}

// open reads the envelope of b without checking the sum.
func open(b []byte) (e envelope, err error) {
	head := len(groupMagic) + 1
	if len(b) < head+1+sumLen || string(b[:len(groupMagic)]) != groupMagic {
		return e, envelopeError("does not begin like an encoded group")
	}
	e.version = b[len(groupMagic)]
	if e.version != packedSmall && e.version != packedFast {
		return e, envelopeError("has version %d, want %d or %d", e.version, packedSmall, packedFast)
	}
	rest := b[:len(b)-sumLen]
	size, n := binary.Uvarint(rest[head:])
	if n <= 0 {
		return e, envelopeError("has no readable size")
	}
	e.size, e.packed = size, rest[head+n:]
	return e, nil
}

func envelopeError(format string, args ...any) error {
	return &FormatError{Field: "envelope", Why: fmt.Sprintf(format, args...)}
}
