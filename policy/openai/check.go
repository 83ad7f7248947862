package openai

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Check asks the server for its models, once. It returns an [*Error] if the server does
// not answer, refuses the key or does not have the model. A caller may poll it while a
// server starts.
func (c *Client) Check(ctx context.Context) error {
	const patience = 30 * time.Second
	short, cancel := c.patiently(ctx, patience)
	defer cancel()
	a, fault := c.exchange(short, http.MethodGet, "models", nil)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if fault != nil {
		return fault
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if fault := decode(a.body, &list); fault != nil {
		return c.sign(fault, a)
	}
	known := make([]string, 0, len(list.Data))
	for _, model := range list.Data {
		known = append(known, model.ID)
	}
	if slices.Contains(known, c.cfg.Model) {
		return nil
	}
	err := fmt.Errorf("no model %q; the server has none", c.cfg.Model)
	if len(known) > 0 {
		err = fmt.Errorf("no model %q; the server has %s", c.cfg.Model, shortList(known))
	}
	return c.sign(&Error{Kind: UnknownModel, Err: err}, a)
}

// shortList joins names, of a long list only the first.
func shortList(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
