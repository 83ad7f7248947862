package tokenizer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/tiny/gguf"
)

// CacheFolder returns the default cache folder of Load: one below the user's cache folder, or
// "" if the user has none.
func CacheFolder() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "quintain", "tokenizers")
}

// File returns the path of a tokenizer.json that is named by itself or by its folder.
func File(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, FileName)
	}
	return path
}

// Load builds a tokenizer from a tokenizer.json, or the one in a folder, or from a GGUF file, as [FromGGUF] does. It caches
// the parsed tokenizer.json in the folder cache, in a form that loads about ten times faster; an empty name means no cache. Load creates the
// folder if needed. Its files are named after the content of the tokenizer.json; anyone may
// delete them, and Load rewrites damaged ones. Any number of programs may share it. A failure
// to write the cache is no error.
func Load(path, cache string) (*Tokenizer, error) {
	path = File(path)
	if gguf.Is(path) {
		return loadGGUF(path)
	}
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	kept := ""
	if cache != "" {
		kept = filepath.Join(cache, fmt.Sprintf("%x.v%d", sha256.Sum256(text), formVersion))
		if t := loadKept(kept); t != nil {
			return t, nil
		}
	}
	f, err := parseFile(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t, err := f.tokenizer()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if kept != "" && os.MkdirAll(cache, 0o700) == nil {
		_ = datadir.WriteFile(kept, f.binary()) // else the next Load takes longer
	}
	return t, nil
}

// loadGGUF builds the tokenizer of a GGUF file.
func loadGGUF(path string) (*Tokenizer, error) {
	g, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	t, err := FromGGUF(g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// loadKept builds a tokenizer from a cache file; nil if that is missing or damaged.
func loadKept(path string) *Tokenizer {
	f, err := readKept(path)
	if err != nil {
		return nil
	}
	t, err := f.tokenizer()
	if err != nil {
		return nil
	}
	return t
}

// readFile reads a file up to the size limit.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: want a file of at most %d bytes", path, maxFile)
	}
	return os.ReadFile(path)
}

// formVersion rises by one whenever the output of binary changes.
const formVersion = 1

// readKept reads a file of the cache.
func readKept(path string) (*file, error) {
	form, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parseBinary(form)
}

// binary returns the binary form: the settings as JSON, the tokens (for each its length and 1,
// or 0 if absent; then their texts), the scores, the merges, and a checksum of it all. Numbers
// are varints; scores and merges have a fixed size.
func (f *file) binary() []byte {
	settings, _ := json.Marshal(f.settings) // it came from JSON
	dst := appendText(nil, settings)
	v := f.vocabulary
	dst = binary.AppendUvarint(dst, uint64(len(v.tokens)))
	var texts []byte
	for id := range v.tokens {
		token, known := v.token(int32(id))
		length := uint64(0)
		if known {
			length = uint64(len(token)) + 1
		}
		dst = binary.AppendUvarint(dst, length)
		texts = append(texts, token...)
	}
	dst = appendText(dst, texts)
	dst = binary.AppendUvarint(dst, uint64(len(f.scores)))
	for _, score := range f.scores {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(score))
	}
	dst = binary.AppendUvarint(dst, uint64(len(f.merges)))
	for _, m := range f.merges {
		for _, id := range []int32{m.left, m.right, m.joined} {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(id))
		}
	}
	return binary.LittleEndian.AppendUint32(dst, checksum(dst))
}

// appendText appends a text after its length.
func appendText(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// checksum returns the checksum of a binary form.
func checksum(form []byte) uint32 { return crc32.Checksum(form, crc32.MakeTable(crc32.Castagnoli)) }

// errDamaged says that a binary form has changed since we wrote it.
var errDamaged = errors.New("the cached tokenizer is damaged")

// parseBinary parses a binary form.
func parseBinary(form []byte) (*file, error) {
	body := len(form) - 4
	if body < 0 || checksum(form[:body]) != binary.LittleEndian.Uint32(form[body:]) {
		return nil, errDamaged
	}
	r := &formReader{rest: form[:body]}
	f := new(file)
	if err := strictjson.Unmarshal(r.text(), &f.settings); err != nil {
		return nil, errDamaged
	}
	f.vocabulary = r.vocabulary()
	if n := r.count(8); n > 0 {
		f.scores = make([]float64, n)
		for i := range f.scores {
			f.scores[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))
		}
	}
	if n := r.count(12); n > 0 {
		f.merges = make([]merge, n)
		for i := range f.merges {
			f.merges[i] = merge{r.id(), r.id(), r.id()}
		}
	}
	if r.damaged || len(r.rest) > 0 || f.scores != nil && len(f.scores) != len(f.vocabulary.tokens) {
		return nil, errDamaged
	}
	return f, nil
}

// A formReader reads a binary form. After the first damage it returns only zeros.
type formReader struct {
	rest    []byte
	tokens  int // in the vocabulary
	damaged bool
}

// take takes the next n bytes, or zeros.
func (r *formReader) take(n int) []byte {
	if n > len(r.rest) {
		r.damaged = true
		return make([]byte, min(n, 16))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// uvarint takes a number.
func (r *formReader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.damaged = true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count takes the number of the items that follow, each of at least size bytes.
func (r *formReader) count(size int) int {
	n := r.uvarint()
	if n > uint64(len(r.rest)/size) {
		r.damaged = true
		return 0
	}
	return int(n)
}

// text takes a length and a text.
func (r *formReader) text() []byte { return r.take(r.count(1)) }

// id takes a token number.
func (r *formReader) id() int32 {
	id := binary.LittleEndian.Uint32(r.take(4))
	if id >= uint32(r.tokens) {
		r.damaged = true
		return 0
	}
	return int32(id)
}

// vocabulary takes the tokens.
func (r *formReader) vocabulary() *vocabulary {
	r.tokens = r.count(1)
	lengths := make([]int, r.tokens)
	total := 0
	for i := range lengths {
		lengths[i] = int(min(r.uvarint(), maxFile))
		total += max(0, lengths[i]-1)
	}
	texts := string(r.text())
	if r.damaged || total != len(texts) {
		r.damaged = true
		return newVocabulary(nil, nil)
	}
	tokens := make([]string, len(lengths))
	var absent []bool
	for i, length := range lengths {
		if length == 0 {
			if absent == nil {
				absent = make([]bool, len(lengths))
			}
			absent[i] = true
			continue
		}
		tokens[i], texts = texts[:length-1], texts[length-1:]
	}
	return newVocabulary(tokens, absent)
}
