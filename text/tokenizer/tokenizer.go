// Package tokenizer turns text into the tokens of a language model and back, as a
// tokenizer.json says, the file in which Hugging Face's library tokenizers keeps a
// tokenizer. The tokens are the same as those of that library, which is called the
// reference here.
//
// It reads models of the types BPE, Unigram, WordPiece and WordLevel, with what comes before
// and after them. What it does not know it refuses, with its path in the file, so that no
// text is ever tokenized almost right. Truncation and padding it leaves to the caller. The
// page docs/tokenizer.md lists all that it does not do.
//
// All methods of a [Tokenizer] may be called at the same time. The cost of a text grows with
// its length, whatever is in it.
package tokenizer

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"unicode/utf8"
)

// A Tokenizer is made by [Load] or [Parse]. It is safe for concurrent use.
type Tokenizer struct {
	vocabulary *vocabulary
	added      *addedTokens
	normalizer normalizer // nil: none
	splitters  []splitter
	model      model
	decoders   []decoder
	frame      frame

	cache    cache
	encoders sync.Pool // of *encoder
}

// Parse makes a tokenizer of the text of a tokenizer.json. Its errors name the part of the
// file that is invalid or not supported. It keeps nothing of text.
func Parse(text []byte) (*Tokenizer, error) {
	f, err := parseFile(text)
	if err != nil {
		return nil, err
	}
	return f.tokenizer()
}

// tokenizer makes a tokenizer of what the file says.
func (f *file) tokenizer() (*Tokenizer, error) {
	t := &Tokenizer{vocabulary: f.vocabulary, cache: cache{seed: maphash.MakeSeed()}}
	steps, err := component{"normalizer", f.settings.Normalizer}.normalizers()
	if err != nil {
		return nil, err
	}
	if len(steps) > 0 {
		t.normalizer = normalizers(steps)
	}
	if t.splitters, err = (component{"pre_tokenizer", f.settings.PreTokenizer}).splitters(); err != nil {
		return nil, err
	}
	if t.decoders, err = (component{"decoder", f.settings.Decoder}).decoders(); err != nil {
		return nil, err
	}
	frames, err := component{"post_processor", f.settings.PostProcessor}.frames()
	if err != nil {
		return nil, err
	}
	t.frame = wrap(frames)
	if t.added, err = newAddedTokens(f.settings.AddedTokens, f.vocabulary, t.normalizer); err != nil {
		return nil, err
	}
	if err := t.setModel(f); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	t.encoders.New = func() any { return t.newEncoder() }
	return t, nil
}

// setModel makes the model, and adapts the last step before it.
func (t *Tokenizer) setModel(f *file) (err error) {
	form := f.settings.Model
	switch form.Type {
	case "BPE":
		m := newBPE(f)
		if form.Dropout != nil && *form.Dropout != 0 {
			return errors.New("dropout is not supported: the same text would have other tokens each time")
		}
		if last := len(t.splitters) - 1; last >= 0 {
			if b, is := t.splitters[last].(*byteLevel); is && m.prefix+m.suffix == "" && !form.ByteFallback {
				b.raw = true
				m.takeBytes()
			}
		}
		if c := newCutter(m, "▁"); c != nil {
			t.splitters = append(t.splitters, c)
		}
		t.model = m
	case "Unigram":
		t.model, err = newUnigram(f)
	case "WordPiece":
		t.model, err = newWordPiece(f)
	case "WordLevel":
		m := &wordLevel{vocabulary: f.vocabulary, unknown: -1}
		if form.UnkToken != nil {
			m.unknown, m.unknownName = f.vocabulary.id(*form.UnkToken), *form.UnkToken
		}
		t.model = m
	default:
		err = fmt.Errorf("the type %q is not supported", form.Type)
	}
	return err
}

// normalizers are steps, one after the other.
type normalizers []normalizer

func (n normalizers) normalize(x piece) (piece, error) {
	for _, step := range n {
		var err error
		if x, err = step.normalize(x); err != nil {
			return x, err
		}
	}
	return x, nil
}

// Encode returns the tokens of text. If special is true, it adds those with which the model
// expects a text to begin and end, such as <s>. Special tokens that are written out in text
// are found either way.
//
// It fails if text is not valid UTF-8, if the vocabulary has neither tokens for a part of it
// nor one for what is unknown, and if the file's own pattern takes much longer for the text
// than it has bytes.
func (t *Tokenizer) Encode(text string, special bool) ([]int32, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not valid UTF-8")
	}
	e := t.encoders.Get().(*encoder)
	defer t.encoders.Put(e)
	if special {
		e.ids = append(e.ids, t.frame.before...)
	}
	err := e.encode(text)
	if special {
		e.ids = append(e.ids, t.frame.after...)
	}
	ids := slices.Clone(e.ids)
	e.reset()
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// An encoder encodes texts, one at a time.
type encoder struct {
	*Tokenizer
	steps   []func(piece) // what each splitter takes; at the end, what the model takes
	ids     []int32
	err     error
	scratch scratch
}

// maxScratch is how many tokens an encoder keeps room for until the next text.
const maxScratch = 1 << 16

// newEncoder makes an encoder, with its splitters linked to each other and the model.
func (t *Tokenizer) newEncoder() *encoder {
	e := &encoder{Tokenizer: t, steps: make([]func(piece), len(t.splitters)+1)}
	e.steps[len(t.splitters)] = e.word
	for i, s := range slices.Backward(t.splitters) {
		next := e.steps[i+1]
		e.steps[i] = func(x piece) {
			if x.text == "" || e.err != nil {
				return
			}
			if err := s.split(x, next); err != nil && e.err == nil {
				e.err = err
			}
		}
	}
	return e
}

// reset makes e ready for another text.
func (e *encoder) reset() {
	e.ids, e.err = e.ids[:0], nil
	if max(cap(e.ids), cap(e.scratch.symbols), cap(e.scratch.paths)) > maxScratch {
		e.ids, e.scratch = nil, scratch{}
	}
}

// encode appends the tokens of text.
func (e *encoder) encode(text string) error {
	e.added.exact.each(piece{text, true}, e.normalized, e.add)
	return e.err
}

// normalized takes text between the added tokens that are found as they are.
func (e *encoder) normalized(x piece) {
	if e.normalizer != nil {
		var err error
		if x, err = e.normalizer.normalize(x); err != nil && e.err == nil {
			e.err = err
		}
	}
	e.added.normalized.each(x, e.steps[0], e.add)
}

// add appends an added token.
func (e *encoder) add(id int32) { e.ids = append(e.ids, id) }

// word appends the tokens of a word.
func (e *encoder) word(x piece) {
	if x.text == "" || e.err != nil {
		return
	}
	if len(x.text) > maxCached {
		e.ids, e.err = e.model.appendWord(e.ids, x.text, &e.scratch)
		return
	}
	known, place := e.cache.get(x.text)
	if known != nil {
		e.ids = append(e.ids, known.ids...)
		return
	}
	begin := len(e.ids)
	if e.ids, e.err = e.model.appendWord(e.ids, x.text, &e.scratch); e.err == nil {
		e.cache.put(place, x.text, e.ids[begin:])
	}
}

// Decode returns the text of tokens. Numbers that no token has are left out, as are special
// tokens if skipSpecial is true.
func (t *Tokenizer) Decode(ids []int32, skipSpecial bool) string {
	s := t.Stream(skipSpecial)
	for _, id := range ids {
		s.put(id)
	}
	s.first.end()
	return string(s.sink.text)
}

// A Stream decodes tokens as they come. It is for one goroutine.
type Stream struct {
	tokenizer   *Tokenizer
	skipSpecial bool
	first       stage
	sink        sink
}

// Stream returns a stream. Special tokens are left out if skipSpecial is true.
func (t *Tokenizer) Stream(skipSpecial bool) *Stream {
	s := &Stream{tokenizer: t, skipSpecial: skipSpecial}
	s.first = &s.sink
	for _, d := range slices.Backward(t.decoders) {
		s.first = d(s.first)
	}
	return s
}

// Next takes a token and returns the text that has become certain: whole characters,
// often one token's, and nothing while a character is incomplete. All texts together, with
// that of Flush, are what Decode returns for all tokens.
func (s *Stream) Next(id int32) string {
	s.put(id)
	return s.take()
}

// Flush returns the text that was still uncertain. The stream must not be used any more.
func (s *Stream) Flush() string {
	s.first.end()
	return s.take()
}

// put passes a token to the first stage.
func (s *Stream) put(id int32) {
	token, known := s.tokenizer.vocabulary.token(id)
	if added, is := s.tokenizer.added.byID[id]; is {
		token, known = added.text, true
	}
	if !known || s.skipSpecial && s.tokenizer.added.special[token] {
		return
	}
	s.first.put(token, true)
}

// take empties the sink.
func (s *Stream) take() string {
	text := string(s.sink.text)
	s.sink.text = s.sink.text[:0]
	return text
}

// Token returns the token with a number, as the file spells it.
func (t *Tokenizer) Token(id int32) (token string, known bool) {
	if added, is := t.added.byID[id]; is {
		return added.Content, true
	}
	return t.vocabulary.token(id)
}

// ID returns the number of a token, as the file spells it.
func (t *Tokenizer) ID(token string) (id int32, known bool) {
	if id, is := t.added.byContent[token]; is {
		return id, true
	}
	id = t.vocabulary.id(token)
	return id, id >= 0
}

// Special returns the numbers of the special tokens, in order.
func (t *Tokenizer) Special() []int32 {
	var ids []int32
	for id, token := range t.added.byID {
		if token.Special {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Size is one more than the greatest number of a token.
func (t *Tokenizer) Size() int { return int(t.added.limit) }
