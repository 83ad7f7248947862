package queue

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/quintain-rl/quintain"
)

// The envelope of an encoded group, as docs/formats/group.md describes it.
const (
	groupMagic = "QNGR"
	sumLen     = 4 // CRC-32C of all that stands before it
)

// The versions of the envelope differ in how the fields are packed.
const (
	packedSmall = 1 // as a Zstandard frame: for the wire
	packedFast  = 2 // as a Snappy block, five times as fast and a quarter larger: for the disk
)

// MaxInflated is the usual limit of a [Codec], in bytes: some ten million tokens.
const MaxInflated = 256 << 20

// A FormatError says that bytes are not an encoded group, or not all of one.
type FormatError struct {
	Field string // path of the field that could not be read, "masks[3]"; "envelope" for what stands around the fields
	Why   string
}

// Error names the field and the fault.
func (e *FormatError) Error() string { return e.Field + ": " + e.Why }

// A Codec writes groups in their binary form and reads them again. It may be used
// by many goroutines at once. It holds some megabytes of tables, so a program has
// one of it.
type Codec struct {
	limit    int
	deflater *zstd.Encoder
	inflater *zstd.Decoder
	writers  sync.Pool // of *writer
	buffers  sync.Pool // of *[]byte
	decoders sync.Pool // of *Decoder
}

// NewCodec returns a codec whose Decode refuses what would take more than limit
// bytes before it is parsed; 0 stands for [MaxInflated]. A decoded group takes at
// most some forty times that, and mostly three times.
func NewCodec(limit int) *Codec {
	if limit <= 0 {
		limit = MaxInflated
	}
	deflater, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
	inflater, err2 := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(uint64(limit)))
	if err := errors.Join(err, err2); err != nil {
		panic("queue: options of zstd: " + err.Error()) // they are constants
	}
	return &Codec{limit: limit, deflater: deflater, inflater: inflater}
}

// Encode returns the binary form of g, packed small. What [Codec.Decode] makes of it
// equals g bit for bit; an absent field is told from an empty one. The error is that
// of g.Check, or a [*TooLargeError].
func (c *Codec) Encode(g *quintain.Group) ([]byte, error) { return c.encode(g, packedSmall) }

// EncodeFast returns the binary form of g, packed fast: [Codec.Encode] for those who
// have no time.
func (c *Codec) EncodeFast(g *quintain.Group) ([]byte, error) { return c.encode(g, packedFast) }

func (c *Codec) encode(g *quintain.Group, version byte) ([]byte, error) {
	return c.exact(func(dst []byte) ([]byte, error) { return c.appendGroup(dst, g, version) })
}

// exact returns what is appended, in memory of its size.
func (c *Codec) exact(appendTo func(dst []byte) ([]byte, error)) ([]byte, error) {
	buf := c.buffer()
	b, err := appendTo((*buf)[:0])
	if err != nil {
		return nil, err
	}
	exact := bytes.Clone(b)
	c.keep(buf, b)
	return exact, nil
}

// appendGroup appends the binary form of g to dst.
func (c *Codec) appendGroup(dst []byte, g *quintain.Group, version byte) ([]byte, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	w, ok := c.writers.Get().(*writer)
	if !ok {
		w = &writer{}
	}
	defer func() {
		if cap(w.b)+8*cap(w.values) <= maxKept {
			c.writers.Put(w)
		}
	}()
	w.b, w.values = w.b[:0], w.values[:0]
	w.group(g)
	if len(w.b) > c.limit {
		return nil, &TooLargeError{Bytes: len(w.b), Limit: c.limit}
	}
	switch {
	case version == packedSmall:
		return wrap(dst, w.b, version, c.appendSmall), nil
	case 2*textSize(g) < len(w.b):
		return wrap(dst, w.b, version, appendPlain), nil
	}
	return wrap(dst, w.b, version, appendFast), nil
}

// textSize is about how many bytes of g are text. Numbers hardly shrink in a Snappy
// block: where they are most of a group, it would be a seventh smaller, for a tenth of
// all that taking it costs.
func textSize(g *quintain.Group) int {
	n := len(g.Messages) + len(g.Generation) + len(g.GroupOverrides) + len(g.Images)
	for _, v := range g.Overrides {
		n += len(v)
	}
	return n
}

// maxKept is the size of buffers up to which they are kept to be used again.
const maxKept = 16 << 20

// wrap packs fields, puts them into an envelope, and appends it to dst.
func wrap(dst, fields []byte, version byte, pack func(dst, b []byte) []byte) []byte {
	from := len(dst)
	dst = slices.Grow(dst, len(groupMagic)+1+binary.MaxVarintLen64+s2.MaxEncodedLen(len(fields))+sumLen)
	dst = append(append(dst, groupMagic...), version)
	dst = pack(binary.AppendUvarint(dst, uint64(len(fields))), fields)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli()))
}

func (c *Codec) appendSmall(dst, b []byte) []byte { return c.deflater.EncodeAll(b, dst) }

// appendFast appends b as a Snappy block. There is room for it.
func appendFast(dst, b []byte) []byte {
	return dst[:len(dst)+len(s2.EncodeSnappy(dst[len(dst):cap(dst)], b))]
}

// appendPlain appends b as a Snappy block of one literal.
func appendPlain(dst, b []byte) []byte {
	const literal = 63 << 2 // its length less one follows, in four bytes
	dst = append(binary.AppendUvarint(dst, uint64(len(b))), literal)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b)-1))
	return append(dst, b...)
}

// Decode reads the binary form of a group, however it is packed. The bytes may come
// from anywhere: an error is a [*FormatError]. The group shares no memory with b.
func (c *Codec) Decode(b []byte) (*quintain.Group, error) {
	buf := c.buffer()
	fields, err := c.inflate(b, *buf)
	if err != nil {
		return nil, err
	}
	r := reader{b: fields}
	g := r.group()
	c.keep(buf, fields)
	if r.err != nil {
		return nil, r.err
	}
	return g, nil
}

// Repack returns the binary form of a group packed small, which all readers know.
// Where b is, it is returned as it is.
func (c *Codec) Repack(b []byte) ([]byte, error) {
	if len(b) > len(groupMagic) && b[len(groupMagic)] == packedSmall {
		return b, c.Verify(b)
	}
	buf := c.buffer()
	fields, err := c.inflate(b, *buf)
	if err != nil {
		return nil, err
	}
	defer c.keep(buf, fields)
	return c.exact(func(dst []byte) ([]byte, error) { return wrap(dst, fields, packedSmall, c.appendSmall), nil })
}

// buffer returns a buffer that may have been used before; see keep.
func (c *Codec) buffer() *[]byte {
	if b, ok := c.buffers.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// keep lets others use b again, as the buffer that it has become.
func (c *Codec) keep(b *[]byte, as []byte) {
	if *b = as; cap(as) <= maxKept {
		c.buffers.Put(b)
	}
}

// inflate returns the fields of b, in the memory of fields where they fit there.
func (c *Codec) inflate(b, fields []byte) ([]byte, error) {
	e, err := unwrap(b)
	if err != nil {
		return nil, err
	}
	if e.size > uint64(c.limit) {
		return nil, envelopeError("takes %d bytes inflated, and the limit is %d", e.size, c.limit)
	}
	// What a few bytes claim to hold is believed only as it comes.
	if believed := min(int(e.size), 64*len(e.packed)+1024); cap(fields) < believed {
		fields = make([]byte, 0, believed)
	}
	if e.version == packedFast {
		fields, err = inflateFast(fields, e)
	} else {
		fields, err = c.inflater.DecodeAll(e.packed, fields[:0])
	}
	if err != nil {
		return nil, envelopeError("cannot be inflated: %v", err)
	}
	if uint64(len(fields)) != e.size {
		return nil, envelopeError("inflates to %d bytes, and says %d", len(fields), e.size)
	}
	return fields, nil
}

// inflateFast inflates a Snappy block into b, if it has room.
func inflateFast(b []byte, e envelope) ([]byte, error) {
	n, err := s2.DecodedLen(e.packed)
	if err != nil {
		return nil, err
	}
	if uint64(n) != e.size {
		return nil, fmt.Errorf("its block has %d bytes", n)
	}
	return s2.Decode(b[:cap(b)], e.packed)
}

// Verify reports whether b is whole, by its checksum: a small part of the cost of
// Decode. A body that passes was written as it is; only Decode says whether what
// was written is a group.
func (c *Codec) Verify(b []byte) error {
	_, err := unwrap(b)
	return err
}

// An envelope is what stands around the fields.
type envelope struct {
	version byte
	size    uint64 // inflated, as it claims
	packed  []byte
}

// unwrap checks the envelope of b.
func unwrap(b []byte) (e envelope, err error) {
	head := len(groupMagic) + 1
	if len(b) < head+1+sumLen || string(b[:len(groupMagic)]) != groupMagic {
		return e, envelopeError("does not begin as an encoded group does")
	}
	e.version = b[len(groupMagic)]
	if e.version != packedSmall && e.version != packedFast {
		return e, envelopeError("has version %d, and this program reads versions %d and %d", e.version, packedSmall, packedFast)
	}
	rest, sum := b[:len(b)-sumLen], binary.LittleEndian.Uint32(b[len(b)-sumLen:])
	if got := crc32.Checksum(rest, castagnoli()); got != sum {
		return e, envelopeError("has the checksum %08x, want %08x: bytes were lost or changed", sum, got)
	}
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

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
