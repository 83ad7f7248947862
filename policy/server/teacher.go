package server

import (
	"errors"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/pool"
)

// TeacherSettings says which server scores given tokens, for distillation.
type TeacherSettings struct {
	URLs    []string // none: no teacher
	Model   string
	KeyFile string
	Top     int // see [Use]
}

// Declare implements [settings.Declarer].
func (t *TeacherSettings) Declare(d *settings.Section) {
	d.Texts(&t.URLs, "url", "address of a server, vLLM or SGLang, that scores groups for distillation; may be given several times; none: no teacher")
	d.Text(&t.Model, "model", "the teacher server's name for its model; none: its first one")
	d.Text(&t.KeyFile, "key_file", "file with the API key of the teacher's server")
	d.Int(&t.Top, "top_k", "likeliest tokens that the teacher scores at each place; 0: only the token itself").AtLeast(0)
}

// Check implements [settings.Checker].
func (t *TeacherSettings) Check() error {
	if len(t.URLs) == 0 && (t.Model != "" || t.KeyFile != "" || t.Top > 0) {
		return errors.New("url: is missing; want the address of the teacher's server (teacher.url), or no other setting of a teacher")
	}
	return nil
}

// Server returns the settings of the teacher's server. Its limits and its tokenizer are the
// policy's.
func (t *TeacherSettings) Server(policy Settings) Settings {
	policy.Kind, policy.Pool = Any, pool.Settings{URLs: t.URLs, Control: policy.Pool.Control}
	policy.Chat.Model, policy.Chat.KeyFile = t.Model, t.KeyFile
	return policy
}
