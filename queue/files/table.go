package files

import (
	"encoding/binary"
	"errors"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// A placed is a body with its offset.
type placed struct {
	queue.Listed
	at int64
}

// leastRow is the least size of a row of a table in bytes; see docs/formats/stream.md.
const leastRow = 1 + len(queue.Key{}) + 2

// encodeTable is the head of a frame of bodies: a row for each, by sequence number.
func encodeTable(list []placed) []byte {
	var b []byte
	last := uint64(0)
	for _, e := range list {
		b = binary.AppendUvarint(b, e.Seq-last)
		last = e.Seq
		b = append(b, e.Key[:]...)
		b = binary.AppendUvarint(b, uint64(e.Size))
		b = binary.AppendUvarint(b, uint64(len(e.Meta)))
		b = append(b, e.Meta...)
	}
	return b
}

// decodeTable undoes encodeTable. The bodies lie one after another in the frame's payload.
func decodeTable(f wal.Found) (list []placed, err error) {
	b, at, last := f.Head, f.Payload, uint64(0)
	for len(b) > 0 {
		e := placed{at: at}
		step, n := binary.Uvarint(b)
		if n <= 0 || step == 0 || last+step < last || len(b) < n+leastRow-1 {
			return list, errTable
		}
		last += step
		e.Seq, e.Key, b = last, queue.Key(b[n:]), b[n+len(e.Key):]
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(f.End()-at) || size > maxRecord {
			return list, errTable
		}
		meta, m := binary.Uvarint(b[n:])
		if b = b[max(0, n+m):]; m <= 0 || meta > uint64(len(b)) {
			return list, errTable
		}
		e.Size, e.Meta, b = int(size), b[:meta:meta], b[meta:]
		at += int64(size)
		list = append(list, e)
	}
	if at != f.End() {
		return list, errTable
	}
	return list, nil
}

// errTable reports a frame that is not one of bodies.
var errTable = errors.New("the table of bodies does not fit the frame")
