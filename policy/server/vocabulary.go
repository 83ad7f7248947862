package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/remote"
)

// specimen is a text that tokenizers disagree on: numbers, code, white space, accents,
// other scripts.
const specimen = "What is 12345 + 6.789?\n\n\tfor (i = 0; i != 10; i++) { naïve(x_i); }   日本語 🙂"

// A VocabularyError says that the tokenizer does not match the server's model.
type VocabularyError struct {
	Text         string // with the special tokens of the chat template
	Ours, Theirs []quintain.Token
}

// Error shows both lists and the remedy.
func (e *VocabularyError) Error() string {
	at := 0
	for at < min(len(e.Ours), len(e.Theirs)) && e.Ours[at] == e.Theirs[at] {
		at++
	}
	return fmt.Sprintf("tokenizer: it does not match the server's model: for %q the server has the tokens %v, and the tokenizer %v, which differ from token %d on; "+
		"name the tokenizer.json of the served model (--tokenizer)", e.Text, e.Theirs, e.Ours, at)
}

// compare makes the server encode a conversation in the form of the chat template, and
// returns a [*VocabularyError] if its tokens differ from the renderer's. A server that
// refuses is not compared.
func (s *Server) compare(ctx context.Context, cfg remote.Config, found *engines.Report) error {
	read, err := s.renderer.Render(quintain.Request{N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: specimen}}})
	if err != nil {
		return err
	}
	body, err := json.Marshal(found.Server.Traits().Tokenize(found.Model, read.Text))
	if err != nil {
		return err
	}
	cfg.URL = found.URL
	server, err := remote.New(cfg)
	if err != nil {
		return err
	}
	defer server.CloseIdle()
	answer, err := server.Post(ctx, "tokenize", body)
	if fault, ok := errors.AsType[*remote.Error](err); ok && fault.Kind == remote.Refused {
		s.say("warning: cannot tell whether the tokenizer matches the server's model: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	var theirs struct {
		Tokens []quintain.Token `json:"tokens"`
	}
	if fault := remote.Decode(answer, &theirs); fault != nil {
		return server.Fault(fault, "tokenize", answer)
	}
	if !slices.Equal(theirs.Tokens, read.Tokens) {
		err = &VocabularyError{read.Text, read.Tokens, theirs.Tokens}
	}
	if err != nil && s.use.Scores {
		return fmt.Errorf("a teacher must have the policy's vocabulary: %w", err)
	}
	return err
}
