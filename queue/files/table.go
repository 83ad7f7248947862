package files

import (
	"encoding/binary"
	"errors"

	"github.com/quintain-rl/quintain/queue"
)

// A placed is a body with its offset.
type placed struct {
	queue.Listed
	at int64
}

// rowLen is the size of the fixed part of a row of a table; see docs/formats/stream.md.
const rowLen = 36

// encodeTable is the head of a frame of bodies: a row for each.
func encodeTable(list []placed) []byte {
	var b []byte
	for _, e := range list {
		b = binary.LittleEndian.AppendUint64(b, e.Seq)
		b = append(b, e.Key[:]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Size))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(e.Meta)))
		b = append(b, e.Meta...)
	}
	return b
}

// decodeTable reads the head of a frame of bodies. The bodies follow one another in
// its payload.
func decodeTable(f framed) (list []placed, err error) {
	b, at := f.head, f.payload
	for len(b) > 0 {
		if len(b) < rowLen {
			return list, errTable
		}
		e := placed{at: at}
		e.Seq = binary.LittleEndian.Uint64(b)
		e.Key = queue.Key(b[8:24])
		size, meta := binary.LittleEndian.Uint64(b[24:]), binary.LittleEndian.Uint32(b[32:])
		b = b[rowLen:]
		if size > uint64(f.end()-at) || uint64(meta) > uint64(len(b)) {
			return list, errTable
		}
		e.Size, e.Meta, b = int(size), b[:meta:meta], b[meta:]
		at += int64(size)
		list = append(list, e)
	}
	if at != f.end() {
		return list, errTable
	}
	return list, nil
}

// errTable says that a frame is not one of bodies.
var errTable = errors.New("the table of bodies does not fit the frame")
