package queue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// The index record of a group; see docs/formats/stream.md.
const (
	// The index record of a group; see docs/formats/stream.md.
	metaVersion   = 2
	metaVersions  = 3 // of a group of several versions
	metaAnonymous = 1
	metaEnv       = 2
	metaTask      = 4
	metaHeld      = 8
	metaSum       = 16
	metaNewer     = 32
)

// meta is the index record of e with content c.
func (e *Entry) meta(c content) []byte {
	flags := byte(0)
	b := make([]byte, 2, 32+len(e.ID))
	if e.anon {
		flags |= metaAnonymous
	} else {
		b = binary.AppendUvarint(b, uint64(len(e.ID)))
		b = append(b, e.ID...)
	}
	if e.EnvID != -1 {
		flags |= metaEnv
		b = binary.AppendVarint(b, int64(e.EnvID))
	}
	if e.HasTask {
		flags |= metaTask
	}
	if e.hold != free {
		flags |= metaHeld
	}
	if !e.anon && c != unknownContent {
		flags |= metaSum
	}
	b[0] = metaVersion
	if e.newer > 0 {
		flags |= metaNewer
		b[0] = metaVersions
	}
	b[1] = flags
	b = binary.AppendUvarint(b, uint64(e.Sequences))
	b = binary.AppendUvarint(b, uint64(e.Episodes))
	b = binary.AppendUvarint(b, uint64(e.Tokens))
	b = binary.AppendVarint(b, int64(e.Oldest))
	b = binary.AppendUvarint(b, uint64(e.put))
	if flags&metaSum != 0 {
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	if flags&metaNewer != 0 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(e.newer))
	}
	return b
}

// entryOf decodes the index record of a listed body.
func entryOf(l Listed) (Entry, content, error) {
	e := Entry{Seq: l.Seq, ID: l.Key.String(), EnvID: -1, Oldest: -1, Bytes: int32(l.Size), bare: true}
	if len(l.Meta) < 2 {
		return e, unknownContent, fmt.Errorf("index record: has %d bytes", len(l.Meta))
	}
	if v := l.Meta[0]; v != metaVersion && v != metaVersions {
		return e, unknownContent, fmt.Errorf("index record: has version %d, want %d", v, metaVersion)
	}
	flags, in := l.Meta[1], logReader{b: l.Meta[2:]}
	full := e
	if full.anon = flags&metaAnonymous != 0; !full.anon {
		full.ID, full.bare = in.text(), false
	}
	if flags&metaEnv != 0 {
		full.EnvID = in.int32()
	}
	full.HasTask = flags&metaTask != 0
	full.Sequences, full.Episodes = int32(in.below(math.MaxInt32)), int32(in.below(math.MaxInt32))
	full.Tokens, full.Oldest = int(in.below(math.MaxInt)), in.int32()
	// If the clock was set back, the group counts as put now: a consumer that waits for its age
	// would otherwise wait until the clock has caught up.
	full.put = min(int64(in.below(math.MaxInt64)), time.Now().UnixMilli())
	if flags&metaHeld != 0 {
		full.hold = held
	}
	c := unknownContent
	if flags&metaSum != 0 {
		c = content(in.fixed())
	}
	if flags&metaNewer != 0 {
		full.newer = math.Float32frombits(in.fixed())
		in.torn = in.torn || !(full.newer > 0 && full.newer <= math.MaxFloat32)
	}
	if in.torn || len(in.b) > 0 {
		return e, unknownContent, fmt.Errorf("index record: its %d bytes are not one whole record", len(l.Meta))
	}
	if full.ID == "" {
		return e, unknownContent, errors.New("index record: has no id")
	}
	return full, c, nil
}

// text reads a string after its length.
func (r *logReader) text() string {
	n := r.len(1)
	text := string(r.b[:n])
	r.b = r.b[n:]
	return text
}

// fixed reads four bytes.
func (r *logReader) fixed() uint32 {
	if len(r.b) < 4 {
		r.b, r.torn = nil, true
		return 0
	}
	v := binary.LittleEndian.Uint32(r.b)
	r.b = r.b[4:]
	return v
}

// int32 reads a signed number.
func (r *logReader) int32() int32 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v < math.MinInt32 || v > math.MaxInt32 {
		r.b, r.torn = nil, true
		return 0
	}
	r.b = r.b[n:]
	return int32(v)
}

// below reads a number up to limit.
func (r *logReader) below(limit uint64) uint64 {
	v := r.uint()
	if v > limit {
		r.b, r.torn = nil, true
		return 0
	}
	return v
}
