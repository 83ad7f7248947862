package transformer

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Checkpoint is the content of a weights file; docs/formats/weights.md describes its
// bytes.
type Checkpoint struct {
	Model      *Model
	Optimizer  *AdamW            // nil: none
	Vocabulary string            // name of the meaning of the tokens
	Notes      map[string]string // any notes of the writer; nil: none
}

// An Encoding is the number format of the parameters in a weights file. The optimiser's
// are always Float32.
type Encoding string

// The encodings.
const (
	Float32 Encoding = "float32" // exact
	Float16 Encoding = "float16" // half the size: IEEE 754 binary16, 11 bits of precision
)

// The reasons for refusing a weights file. Errors wrap them with details.
var (
	ErrForeign    = errors.New("not a weights file")
	ErrVersion    = errors.New("unknown version of weights file")
	ErrTruncated  = errors.New("weights file is truncated")
	ErrCorrupt    = errors.New("weights file is damaged")
	ErrVocabulary = errors.New("weights are for another vocabulary")
	ErrSizes      = errors.New("weights have other sizes")
)

const (
	weightsMagic   = "\x89QWT\r\n\x1a\n" // modelled on PNG: reveals a conversion as text
	weightsVersion = 1
	weightsPrefix  = len(weightsMagic) + 4 + 4 // magic, version, length of the header
	maxHeader      = 1 << 20
)

// A header is the JSON at the beginning of a weights file.
type header struct {
	Config     Config            `json:"config"`
	Vocabulary string            `json:"vocabulary"`
	Encoding   Encoding          `json:"encoding"`
	Tensors    []headerTensor    `json:"tensors"`
	Optimizer  *headerOptimizer  `json:"optimizer,omitempty"`
	Notes      map[string]string `json:"notes,omitempty"`
}

// A headerTensor describes one tensor of the file.
type headerTensor struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
	Cols int    `json:"cols"`
}

// A headerOptimizer is the optimiser without its means.
type headerOptimizer struct {
	Settings AdamSettings `json:"settings"`
	Steps    int          `json:"steps"`
}

// Bytes encodes the checkpoint as a weights file. A non-finite number, or one too large
// for the encoding, is an error: such weights are useless.
func (c *Checkpoint) Bytes(e Encoding) ([]byte, error) {
	head := header{Config: c.Model.config, Vocabulary: c.Vocabulary, Encoding: e, Notes: c.Notes}
	head.Tensors = headerTensors(c.Model)
	if e.width() == 0 {
		return nil, fmt.Errorf("unknown encoding %q", e)
	}
	if o := c.Optimizer; o != nil {
		if len(o.first) != len(c.Model.params) {
			return nil, fmt.Errorf("optimiser: %w", ErrSizes)
		}
		head.Optimizer = &headerOptimizer{o.Settings, o.steps}
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("header of %d bytes, at most %d", len(text), maxHeader)
	}
	data := make([]byte, 0, weightsPrefix+len(text)+head.dataSize()+sha256.Size)
	data = append(data, weightsMagic...)
	data = binary.LittleEndian.AppendUint32(data, weightsVersion)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	data = append(data, text...)
	for _, t := range c.Model.tensors {
		if data, err = e.append(data, t.Data); err != nil {
			return nil, fmt.Errorf("%s%w", t.Name, err)
		}
	}
	if o := c.Optimizer; o != nil {
		if data, err = Float32.append(data, o.first); err != nil {
			return nil, fmt.Errorf("optimiser: first mean%w", err)
		}
		if data, err = Float32.append(data, o.second); err != nil {
			return nil, fmt.Errorf("optimiser: second mean%w", err)
		}
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...), nil
}

// headerTensors lists the tensors of a model.
func headerTensors(m *Model) (list []headerTensor) {
	for _, t := range m.tensors {
		list = append(list, headerTensor{t.Name, t.Rows, t.Cols})
	}
	return list
}

// dataSize returns the number of bytes between header and checksum.
func (h *header) dataSize() int {
	n := h.Config.Params()
	size := n * h.Encoding.width()
	if h.Optimizer != nil {
		size += 2 * n * Float32.width()
	}
	return size
}

// ReadCheckpoint reads a weights file. The file must name the given vocabulary; an empty
// vocabulary accepts any file. The error is, or wraps, one of [ErrForeign], [ErrVersion],
// [ErrTruncated], [ErrCorrupt], [ErrVocabulary] and [ErrNotFinite]. The checkpoint does
// not retain data, and the size of data bounds the memory use.
func ReadCheckpoint(data []byte, vocabulary string) (*Checkpoint, error) {
	head, body, err := openWeights(data)
	if err != nil {
		return nil, err
	}
	if vocabulary != "" && head.Vocabulary != vocabulary {
		return nil, fmt.Errorf("%w: %q, want %q", ErrVocabulary, head.Vocabulary, vocabulary)
	}
	m, err := blank(head.Config)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if !slices.Equal(head.Tensors, headerTensors(m)) {
		return nil, fmt.Errorf("%w: tensors do not follow from the sizes %+v", ErrCorrupt, head.Config)
	}
	c := &Checkpoint{Model: m, Vocabulary: head.Vocabulary}
	if len(head.Notes) > 0 {
		c.Notes = head.Notes
	}
	body = head.Encoding.read(m.params, body)
	if err := m.CheckFinite(); err != nil {
		return nil, err
	}
	if head.Optimizer != nil {
		if c.Optimizer, err = readOptimizer(m, head.Optimizer, body); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// readOptimizer reads the state of the optimiser, after the parameters.
func readOptimizer(m *Model, head *headerOptimizer, body []byte) (*AdamW, error) {
	o, err := NewAdamW(m, head.Settings)
	if err != nil {
		return nil, fmt.Errorf("%w: optimiser: %w", ErrCorrupt, err)
	}
	if head.Steps < 0 {
		return nil, fmt.Errorf("%w: optimiser after %d steps", ErrCorrupt, head.Steps)
	}
	o.steps = head.Steps
	body = Float32.read(o.first, body)
	Float32.read(o.second, body)
	if notFinite(o.first) >= 0 || notFinite(o.second) >= 0 {
		return nil, fmt.Errorf("optimiser: %w", ErrNotFinite)
	}
	return o, nil
}

// sumFits reports whether a file of any version ends with its checksum.
func sumFits(data []byte) bool {
	end := len(data) - sha256.Size
	if end < 0 {
		return false
	}
	sum := sha256.Sum256(data[:end])
	return bytes.Equal(sum[:], data[end:])
}

// openWeights checks a weights file as a whole, and returns its header and the data
// between header and checksum.
func openWeights(data []byte) (head header, body []byte, err error) {
	if n := min(len(data), len(weightsMagic)); n == 0 || string(data[:n]) != weightsMagic[:n] {
		return head, nil, ErrForeign
	}
	if len(data) < weightsPrefix {
		return head, nil, fmt.Errorf("%w: %d bytes", ErrTruncated, len(data))
	}
	if v := binary.LittleEndian.Uint32(data[len(weightsMagic):]); v != weightsVersion {
		if !sumFits(data) {
			return head, nil, fmt.Errorf("%w: its first bytes, or its checksum", ErrCorrupt)
		}
		return head, nil, fmt.Errorf("%w: %d, want %d: use the program that wrote it, or a later one", ErrVersion, v, weightsVersion)
	}
	n := binary.LittleEndian.Uint32(data[len(weightsMagic)+4:])
	if n > maxHeader {
		return head, nil, fmt.Errorf("%w: header of %d bytes, at most %d", ErrCorrupt, n, maxHeader)
	}
	rest := data[weightsPrefix:]
	if len(rest) < int(n) {
		return head, nil, fmt.Errorf("%w: %d bytes, but the header alone has %d", ErrTruncated, len(data), n)
	}
	if err := head.parse(rest[:n]); err != nil {
		return head, nil, fmt.Errorf("%w: header: %w", ErrCorrupt, err)
	}
	rest = rest[n:]
	want := head.dataSize() + sha256.Size
	if len(rest) < want {
		return head, nil, fmt.Errorf("%w: %d bytes, want %d", ErrTruncated, len(data), len(data)-len(rest)+want)
	}
	if len(rest) > want {
		return head, nil, fmt.Errorf("%w: %d bytes, want %d", ErrCorrupt, len(data), len(data)-len(rest)+want)
	}
	if !sumFits(data) {
		return head, nil, fmt.Errorf("%w: checksum does not match", ErrCorrupt)
	}
	return head, rest[:want-sha256.Size], nil
}

// parse parses the JSON of a header and reports the first invalid field.
func (h *header) parse(text []byte) error {
	if err := strictjson.UnmarshalKnown(text, h); err != nil {
		return err
	}
	if h.Encoding.width() == 0 {
		return fmt.Errorf("unknown encoding %q", h.Encoding)
	}
	return h.Config.Check()
}

// width returns the bytes per number; 0 for an unknown encoding.
func (e Encoding) width() int {
	switch e {
	case Float32:
		return 4
	case Float16:
		return 2
	}
	return 0
}

// append encodes numbers. The error names the index of an invalid one.
func (e Encoding) append(data []byte, numbers []float32) ([]byte, error) {
	for i, x := range numbers {
		if x-x != 0 {
			return nil, fmt.Errorf("[%d]: %w", i, ErrNotFinite)
		}
		if e == Float32 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			continue
		}
		h := toHalf(x)
		if h&halfInf == halfInf {
			return nil, fmt.Errorf("[%d]: %v is too large for %s", i, x, e)
		}
		data = binary.LittleEndian.AppendUint16(data, h)
	}
	return data, nil
}

// read fills numbers from data, which must be long enough, and returns the rest of
// data.
func (e Encoding) read(numbers []float32, data []byte) []byte {
	width := e.width()
	for i := range numbers {
		if e == Float32 {
			numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[i*width:]))
		} else {
			numbers[i] = fromHalf(binary.LittleEndian.Uint16(data[i*width:]))
		}
	}
	return data[len(numbers)*width:]
}
