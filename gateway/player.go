package gateway

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A Player answers the calls of agents.
type Player struct {
	Policy quintain.Policy

	// Format is that of tool calls in the texts of the policy. Nil: the policy's server reads
	// them, or there are none.
	Format *toolcall.Format

	// Opens reports whether the prompt of a reply opens its thoughts, under these variables of
	// the template. Nil: it does not.
	Opens func(vars map[string]any) bool

	// Encode returns the tokens of a text without a template, which opens a sequence or not.
	// Nil: no text can be completed.
	Encode func(text string, opens bool) ([]quintain.Token, error)

	// Piece returns the text of a token. Nil: unknown.
	Piece func(t quintain.Token) string

	// Images says that the policy reads images.
	Images bool

	// Count returns the number of tokens that the reply to a request reads, those of its context
	// among them. Nil: unknown.
	Count func(r quintain.Request) (int, error)
}

// PlayerOf returns a policy as a player: it may have a renderer. The error names the setting.
func (s *Settings) PlayerOf(p quintain.Policy) (Player, error) {
	var reads exact.Renderer
	if of, does := p.(interface{ Renderer() exact.Renderer }); does {
		reads = of.Renderer()
	}
	return s.Player(p, reads)
}

// Player returns a policy that renders with r as a player; r is nil if the policy renders
// nothing here. The error names the setting.
func (s *Settings) Player(p quintain.Policy, r exact.Renderer) (Player, error) {
	out := Player{Policy: p}
	if of, does := p.(interface{ ReadsImages() bool }); does {
		out.Images = of.ReadsImages()
	}
	var err error
	if s.ToolFormat != "" {
		if out.Format, err = toolcall.Named(s.ToolFormat); err != nil {
			return out, fmt.Errorf("tool_format: %w", err)
		}
	}
	if r == nil {
		return out, nil
	}
	out.Piece = func(t quintain.Token) string { return r.Whole([]quintain.Token{t}, false) }
	out.Count = func(q quintain.Request) (int, error) {
		read, err := r.Render(q)
		if read.Drift == exact.Forked {
			return len(read.Tokens), err
		}
		return len(q.Context) + len(read.Tokens), err
	}
	if encodes, does := r.(interface {
		Encode(text string, opens bool) ([]quintain.Token, error)
	}); does {
		out.Encode = encodes.Encode
	}
	chat, ok := r.(*exact.Chat)
	if !ok {
		return out, nil
	}
	if out.Format == nil {
		out.Format = chat.Form()
	}
	usual := sync.OnceValue(func() bool { return chat.OpensThoughts(nil) })
	out.Opens = func(vars map[string]any) bool {
		if len(vars) == 0 {
			return usual()
		}
		return chat.OpensThoughts(vars)
	}
	return out, nil
}

// text returns the tokens of a text to continue, which becomes the only message: where it goes
// on from a completion of this tree, whose ID is from, the very tokens of that. Nil: the request
// has messages.
func (p *Player) text(req *dialect.Request, t *tree.Tree) (tokens []quintain.Token, from string, err error) {
	refused := &dialect.Error{Status: http.StatusBadRequest, Code: dialect.CodeValue, Field: "prompt"}
	switch {
	case len(req.Messages) > 0:
		return nil, "", nil
	case req.Prompt == "":
		refused.Message = "want a text"
		return nil, "", refused
	case p.Encode == nil:
		refused.Message = "this policy continues no texts: use chat completions"
		return nil, "", refused
	}
	before, rest := t.Completion(req.Prompt)
	tokens, err = p.Encode(rest, before == nil)
	if err != nil || len(tokens) == 0 {
		refused.Message = fmt.Sprintf("it has %s: %v", stats.Count(len(tokens), "token"), err)
		return nil, "", refused
	}
	if before != nil {
		tokens, from = append(before.Context(), tokens...), before.ID
	}
	req.Messages = []quintain.Message{{Role: quintain.RoleUser, Content: req.Prompt}}
	return tokens, from, nil
}
