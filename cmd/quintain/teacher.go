package main

import (
	"context"

	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
)

// checkTeacher returns why the teacher is of no use in a run of these settings.
func (c *config) checkTeacher() error {
	switch {
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
	t := &a.config.Teacher
	if len(t.URLs) == 0 {
		return nil
	}
	s, err := server.New(t.Server(*a.config.Policy.server()), server.Use{
		Scores: true, Top: t.Top, Stop: ctx.Done(), Parallel: a.config.Run.Of.Parallel, Log: a.log.With("server", "teacher"),
		Say: func(text string) { a.live.Say("teacher: %s", text) },
	})
	if err != nil {
		return usagef("teacher.%w", err)
	}
	to.Teacher = &run.Teacher{From: s, Top: t.Top}
	to.Beside = append(to.Beside, s.Run)
	return a.reach(ctx, s)
}
