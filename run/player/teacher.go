package player

import (
	"context"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
)

// CheckTeacher refuses a teacher without a use. Trained reports whether a trainer at the hub
// takes the groups.
func (s *Settings) CheckTeacher(t *server.TeacherSettings, trained bool) error {
	switch {
	case len(t.URLs) == 0:
		return nil
	case !trained:
		return errors.New("teacher.url: nobody would read its scores; want a trainer at the hub (--consumer hub)")
	case !s.Remote() || s.Server.Files.Tokenizer == "":
		return errors.New("teacher.url: a teacher scores the policy's tokens; want a server as the policy (--policy server), with the model's tokenizer (--tokenizer)")
	}
	return nil
}

// Teach adds the teacher of settings to a run, if there is one, and reaches it. Use has what the
// teacher's server shares with the policy's.
func (s *Settings) Teach(ctx context.Context, to *run.Config, t *server.TeacherSettings, use server.Use) error {
	if len(t.URLs) == 0 {
		return nil
	}
	say := use.Say
	use.Scores, use.Top, use.Say = true, t.Top, func(text string) { say("teacher: " + text) }
	from, err := server.New(t.Server(s.OfServer()), use)
	if err != nil {
		return InvalidError{fmt.Errorf("teacher.%w", err)}
	}
	to.Teacher = &run.Teacher{From: from, Top: t.Top}
	to.Beside = append(to.Beside, from.Run)
	return from.Reach(ctx)
}
