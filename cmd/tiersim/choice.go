package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tiersim/sim/experiment"
	"tiersim/sim/fault"
)

// A choice is a flag that takes one of several words.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.of, "|") }

func (c *choice) Set(s string) error {
	if err := oneOf(s, c.of); err != nil {
		return err
	}
	c.value = s
	return nil
}

// choose adds a flag that takes one of several words, the first by default.
func choose(cmd *cobra.Command, name, help string, of ...string) *choice {
	c := &choice{of[0], of}
	cmd.Flags().Var(c, name, help)
	complete(cmd, name, of)
	return c
}

// A choices is a flag that takes several of some words, comma-separated or
// repeated.
type choices struct {
	values []string
	of     []string
}

func (c *choices) String() string { return strings.Join(c.values, ",") }
func (c *choices) Type() string   { return "list" }

func (c *choices) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		if err := oneOf(word, c.of); err != nil {
			return err
		}
		if !slices.Contains(c.values, word) {
			c.values = append(c.values, word)
		}
	}
	return nil
}

func oneOf(s string, of []string) error {
	if slices.Contains(of, s) {
		return nil
	}
	if near, ok := fault.Suggest(s, of); ok {
		return fmt.Errorf("got %q, want one of %s; write %s", s, strings.Join(of, ", "), near)
	}
	return fmt.Errorf("got %q, want one of %s", s, strings.Join(of, ", "))
}

// complete lets a shell complete a flag's words.
func complete(cmd *cobra.Command, flag string, words []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag is not there: a mistake in this program
	}
}

// A shard is the flag --shard.
type shard experiment.Shard

func (s *shard) Type() string { return "I/N" }

func (s *shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

func (s *shard) Set(text string) error {
	a, b, ok := strings.Cut(text, "/")
	index, err := strconv.Atoi(a)
	of, err2 := strconv.Atoi(b)
	if !ok || err != nil || err2 != nil || index < 1 || index > of {
		return fmt.Errorf("got %q, want I/N with I from 1 to N, such as 1/4", text)
	}
	s.Index, s.Of = index, of
	return nil
}

// A count is a flag that takes a number from 1 on.
type count int

func (c *count) Type() string   { return "N" }
func (c *count) String() string { return strconv.Itoa(int(*c)) }

func (c *count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return fmt.Errorf("got %q, want a number from 1 on", s)
	}
	*c = count(n)
	return nil
}
