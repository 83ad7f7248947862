package scalars

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Events is a [Log] in an event file of TensorBoard. A file torn by a crash is readable up
// to its last whole event. The next process begins a new file, and TensorBoard shows both.
//
// The file is a sequence of records as TensorFlow writes them (tensorflow.org, TFRecord:
// length, checksum of the length, data, checksum of the data). Each record is an Event
// (tensorboard/compat/proto/event.proto).
type Events struct {
	file *os.File
	buf  []byte
}

// OpenEvents makes a new event file in a folder, and the folder if it does not exist.
func OpenEvents(folder string) (*Events, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("event files: %w", err)
	}
	now := time.Now()
	for n := 0; ; n++ {
		name := fmt.Sprintf("events.out.tfevents.%010d.quintain.%d.%d", now.Unix(), os.Getpid(), n)
		file, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("event files: %w", err)
		}
		e := &Events{file: file}
		if err := e.write(func(event []byte) []byte { return appendText(event, eventVersion, "brain.Event:2") }, 0, now); err != nil {
			return nil, errors.Join(err, e.Close())
		}
		return e, nil
	}
}

// Add implements [Log]. TensorBoard keeps numbers with 24 bits.
func (e *Events) Add(row Row) error {
	return e.write(func(event []byte) []byte {
		var summary []byte
		for _, name := range row.names() {
			value := appendText(nil, valueTag, name)
			value = binary.AppendUvarint(value, valueSimple<<3|wire32)
			value = binary.LittleEndian.AppendUint32(value, math.Float32bits(float32(row.Values[name])))
			summary = appendText(summary, summaryValue, string(value))
		}
		return appendText(event, eventSummary, string(summary))
	}, row.Step, row.Time)
}

// Close implements [Log].
func (e *Events) Close() error { return e.file.Close() }

// Numbers of the fields of an Event, of its Summary and of the Values in it.
const (
	eventTime, eventStep, eventVersion, eventSummary = 1, 2, 3, 5
	summaryValue                                     = 1
	valueTag, valueSimple                            = 1, 2
)

// Wire types of the protocol buffers.
const (
	wireVarint, wire64, wireBytes, wire32 = 0, 1, 2, 5
)

// write writes an event with a step and a time. Fill appends the rest.
func (e *Events) write(fill func(event []byte) []byte, step int, at time.Time) error {
	const head = 12 // length and its checksum
	b := slices.Grow(e.buf[:0], head)[:head]
	b = binary.AppendUvarint(b, eventTime<<3|wire64)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(at.UnixMicro())/1e6))
	b = binary.AppendUvarint(b, eventStep<<3|wireVarint)
	b = binary.AppendUvarint(b, uint64(step))
	b = fill(b)
	binary.LittleEndian.PutUint64(b, uint64(len(b)-head))
	binary.LittleEndian.PutUint32(b[8:], masked(b[:8]))
	b = binary.LittleEndian.AppendUint32(b, masked(b[head:]))
	e.buf = b
	if _, err := e.file.Write(b); err != nil {
		return fmt.Errorf("%s: %w", e.file.Name(), err)
	}
	return nil
}

// masked returns the checksum of a record, masked as in TensorFlow: a plain checksum over
// data with checksums in it is weak.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// appendText appends a field of text or bytes.
func appendText(b []byte, field uint64, text string) []byte {
	b = binary.AppendUvarint(b, field<<3|wireBytes)
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}
