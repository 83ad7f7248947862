package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/settings"
)

// teacherSettings say which server scores the tokens of groups, for distillation. Its
// limits and its tokenizer are those of the policy.
type teacherSettings struct {
	URLs    []string // none: there is no teacher
	Model   string
	KeyFile string
	Top     int
}

// Declare implements [settings.Declarer].
func (t *teacherSettings) Declare(d *settings.Section) {
	d.Texts(&t.URLs, "url", "address of a server, vLLM or SGLang, that scores the tokens of groups for distillation; may be given several times; none: there is no teacher")
	d.Text(&t.Model, "model", "name by which the teacher's server knows its model; none: its first one")
	d.Text(&t.KeyFile, "key_file", "file with the API key of the teacher's server")
	d.Int(&t.Top, "top_k", "likeliest tokens that the teacher tells at each place; 0: the token that stands there, alone").AtLeast(0)
}

// checkTeacher returns why the teacher is of no use in a run of these settings.
func (c *config) checkTeacher() error {
	switch {
	case len(c.Teacher.URLs) == 0 && (c.Teacher.Model != "" || c.Teacher.KeyFile != "" || c.Teacher.Top > 0):
		return usagef("teacher.url: is missing; want the address of the teacher's server (--teacher-url), or no other setting of a teacher")
	case len(c.Teacher.URLs) == 0:
		return nil
	case c.Run.Consumer != consumerHub:
		return usagef("teacher.url: nobody would read its scores; want a trainer that does (--consumer hub)")
	case !c.Policy.remote() || c.Policy.Server.Files.Tokenizer == "":
		return usagef("teacher.url: a teacher has to have the tokens of the policy; want a policy that is a server (--policy server) with the model's tokenizer (--tokenizer)")
	}
	return nil
}

// addTeacher gives the run its teacher, if there is one.
func (a *assembled) addTeacher(ctx context.Context, to *run.Config) error {
	t := a.config.Teacher
	if len(t.URLs) == 0 {
		return nil
	}
	of := *a.config.Policy.server()
	of.Kind, of.Pool = server.Any, pool.Settings{URLs: t.URLs, Control: of.Pool.Control}
	of.Chat.Model, of.Chat.KeyFile = t.Model, t.KeyFile
	s, err := server.New(of, server.Use{
		Scores: true, Top: t.Top, Stop: ctx.Done(), Parallel: a.config.Run.Of.Parallel, Log: a.log.With("server", "teacher"),
		Say: func(text string) { a.live.Say("teacher: %s", text) },
	})
	if err != nil {
		return usagef("teacher.%w", err)
	}
	to.Teacher = &run.Teacher{From: s, Top: t.Top}
	to.Beside = append(to.Beside, func(ctx context.Context) error { return ofTeacher(s.Run(ctx)) })
	return ofTeacher(a.reach(ctx, s))
}

// ofTeacher is an error of the teacher's server.
func ofTeacher(err error) error {
	if _, is := errors.AsType[*server.VocabularyError](err); is {
		return fmt.Errorf("teacher: its vocabulary has to be that of the policy: %w", err)
	}
	if err != nil {
		return fmt.Errorf("teacher: %w", err)
	}
	return nil
}
