package tokenizer

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// The limits of a file.
const (
	maxFile  = 256 << 20 // bytes
	maxID    = 1<<22 - 1
	maxParts = 1 << 22 // tokens, and merges
)

// A file is the content of a tokenizer.json, with its large parts separate.
type file struct {
	settings   settings
	vocabulary *vocabulary
	scores     []float64 // by token; nil: a model without scores
	merges     []merge   // by rank
}

// A merge is a pair of tokens and the token they merge into.
type merge struct{ left, right, joined int32 }

// settings are the small parts of the file.
type settings struct {
	Version       string          `json:"version"`
	Truncation    json.RawMessage `json:"truncation"` // not used: the caller limits the length of a text
	Padding       json.RawMessage `json:"padding"`    // not used
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Model         modelForm       `json:"model"`
}

// A modelForm is a model in the file.
type modelForm struct {
	Type         string          `json:"type"`
	Vocab        json.RawMessage `json:"vocab,omitempty"`  // emptied after reading
	Merges       json.RawMessage `json:"merges,omitempty"` // emptied after reading
	UnkToken     *string         `json:"unk_token"`
	ByteFallback bool            `json:"byte_fallback"`

	// BPE
	Dropout       *float64 `json:"dropout"`
	WordPrefix    *string  `json:"continuing_subword_prefix"` // also of WordPiece
	WordSuffix    *string  `json:"end_of_word_suffix"`
	FuseUnk       bool     `json:"fuse_unk"`
	IgnoreMerges  bool     `json:"ignore_merges"`
	MaxInputChars *int     `json:"max_input_chars_per_word"` // WordPiece
	UnkID         *int32   `json:"unk_id"`                   // Unigram
}

// parseFile parses a tokenizer.json.
func parseFile(text []byte) (*file, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("the file has %d bytes, want at most %d", len(text), maxFile)
	}
	f := new(file)
	if err := strictjson.UnmarshalKnown(text, &f.settings); err != nil {
		return nil, err
	}
	if f.settings.Version != "1.0" {
		return nil, fmt.Errorf("version: is %q, want \"1.0\"", f.settings.Version)
	}
	m := &f.settings.Model
	if m.Type == "" && len(m.Merges) > 0 { // the oldest files
		m.Type = "BPE"
	}
	read := f.readVocabulary
	if m.Type == "Unigram" {
		read = f.readScores
	}
	if err := read(m.Vocab); err != nil {
		return nil, fmt.Errorf("model.vocab: %w", err)
	}
	if m.Type == "BPE" {
		if err := f.readMerges(m.Merges); err != nil {
			return nil, fmt.Errorf("model.merges%w", err)
		}
	}
	m.Vocab, m.Merges = nil, nil
	return f, nil
}

// readVocabulary reads an object that maps tokens to numbers.
func (f *file) readVocabulary(text []byte) error {
	var ids map[string]int32
	if err := strictjson.Unmarshal(text, &ids); err != nil {
		return err
	}
	top := int32(-1)
	for token, id := range ids {
		if id < 0 || id > maxID {
			return fmt.Errorf("%q has the id %d, want 0 to %d", token, id, maxID)
		}
		top = max(top, id)
	}
	tokens, absent := make([]string, top+1), make([]bool, top+1)
	for id := range absent {
		absent[id] = true
	}
	for token, id := range ids {
		if !absent[id] {
			return fmt.Errorf("%q and %q have the same id, %d", token, tokens[id], id)
		}
		tokens[id], absent[id] = token, false
	}
	if len(ids) == len(tokens) {
		absent = nil
	}
	f.vocabulary = newVocabulary(tokens, absent)
	return nil
}

// readScores reads a list of tokens with their scores.
func (f *file) readScores(text []byte) error {
	var pairs [][2]json.RawMessage
	if err := strictjson.Unmarshal(text, &pairs); err != nil {
		return err
	}
	if len(pairs) > maxParts {
		return fmt.Errorf("it has %s, want at most %d", stats.Count(len(pairs), "token"), maxParts)
	}
	tokens := make([]string, len(pairs))
	f.scores = make([]float64, len(pairs))
	for i, pair := range pairs {
		if err := strictjson.Unmarshal(pair[0], &tokens[i]); err != nil {
			return fmt.Errorf("[%d]: want a token and its score", i)
		}
		if err := strictjson.Unmarshal(pair[1], &f.scores[i]); err != nil || math.IsInf(f.scores[i], 0) {
			return fmt.Errorf("[%d]: want a token and its score", i)
		}
	}
	f.vocabulary = newVocabulary(tokens, nil)
	return nil
}

// readMerges reads a list of pairs: each a list of two tokens, or one text with a space
// between them. Its errors begin with the index in the list.
func (f *file) readMerges(text []byte) error {
	var raws []json.RawMessage
	if err := strictjson.Unmarshal(text, &raws); err != nil {
		return fmt.Errorf(": %w", err)
	}
	if len(raws) > maxParts {
		return fmt.Errorf(": there are %d, want at most %d", len(raws), maxParts)
	}
	prefix := ""
	if p := f.settings.Model.WordPrefix; p != nil {
		prefix = *p
	}
	f.merges = make([]merge, len(raws))
	var joined []byte
	for i, raw := range raws {
		left, right, err := readPair(raw)
		if err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
		rest, begins := strings.CutPrefix(right, prefix)
		if !begins {
			return fmt.Errorf("[%d]: %q does not begin with the prefix %q", i, right, prefix)
		}
		joined = append(append(joined[:0], left...), rest...)
		m := merge{f.vocabulary.id(left), f.vocabulary.id(right), f.vocabulary.id(string(joined))}
		if m.left < 0 || m.right < 0 || m.joined < 0 {
			return fmt.Errorf("[%d]: %q, %q or %q is not in the vocabulary", i, left, right, joined)
		}
		f.merges[i] = m
	}
	return nil
}

// readPair reads a merge.
func readPair(raw json.RawMessage) (left, right string, err error) {
	if raw[0] == '[' {
		var pair []string
		if err := strictjson.Unmarshal(raw, &pair); err != nil || len(pair) != 2 {
			return "", "", fmt.Errorf("is %.40q, want two tokens", raw)
		}
		return pair[0], pair[1], nil
	}
	var text string
	err = strictjson.Unmarshal(raw, &text)
	left, right, two := strings.Cut(text, " ")
	if err != nil || !two || strings.Contains(right, " ") {
		return "", "", fmt.Errorf("is %.40q, want two tokens with a space between", raw)
	}
	return left, right, nil
}
