package reconciliation

import (
	"context"
	"errors"
	"slices"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
)

// A statement names the one that it replaces, and then that names it: only once it does, the one is replaced. So a file
// that is sent again after a failure goes on, and of two files that replace the same one the first has its place.

const replacesParameter = "replaces"

// replaceable returns the statement that a file by a profile is to replace; nil for none. Errors: problem.BadParameter,
// those of the store.
func (r *Reconciler) replaceable(
	ctx context.Context, p reconciliation.FileProfile, id string,
) (former *statement, err error) {
	if id == "" {
		return nil, nil
	}
	wrong := problem.New(problem.BadParameter, "")
	former, err = r.statement(ctx, id)
	var refusal *problem.Error
	switch {
	case errors.As(err, &refusal) && refusal.Kind == problem.NotFound:
		return nil, wrong.InParameter(replacesParameter, "is the id of no statement")
	case err != nil:
		return nil, err
	case former.Head.Profile != p.Name:
		return nil, wrong.InParameter(replacesParameter, "is a statement of the profile "+former.Head.Profile)
	}
	return former, nil
}

// follow lets a statement take the place of a former one. Errors: problem.BadParameter, problem.Transition if that, or
// the statement, has another place already, those of the store.
func (r *Reconciler) follow(ctx context.Context, former *statement, id string) error {
	before, err := r.chain(ctx, former)
	if err != nil {
		return err
	}
	if id == former.Head.ID || slices.Contains(before, id) {
		return problem.New(problem.BadParameter, "").InParameter(replacesParameter,
			"is this file itself, or has replaced it")
	}
	err = r.alter(ctx, id, func(s *statement) error {
		if err := r.resolve(ctx, s); err != nil {
			return err
		}
		if of := s.Head.Replaces; of != "" && of != former.Head.ID {
			return problem.New(problem.Transition, "The file is a statement already, which replaces another one.").
				With("replaces", of)
		}
		s.Head.Replaces = former.Head.ID
		return nil
	})
	if err != nil {
		return err
	}
	return r.alter(ctx, former.Head.ID, func(s *statement) error {
		if of := s.Head.ReplacedBy; of != "" && of != id {
			return problem.New(problem.Transition, "Another statement has taken the place of this one, and only the "+
				"newest is replaced.").With("replacedBy", of)
		}
		s.Head.ReplacedBy = id
		return nil
	})
}

// alter changes a statement as it is stored.
func (r *Reconciler) alter(ctx context.Context, id string, change func(*statement) error) error {
	return docstore.Again(func() error {
		s := new(statement)
		h, err := r.Get(ctx, id, s)
		if err != nil {
			return err
		}
		was := s.Head
		if err := change(s); err != nil || s.Head.Replaces == was.Replaces && s.Head.ReplacedBy == was.ReplacedBy {
			return err
		}
		_, err = r.Write(ctx, h, statementKey(s), statementList, s)
		return err
	})
}

// resolve leaves out what a statement replaces if another one has that place.
func (r *Reconciler) resolve(ctx context.Context, s *statement) error {
	if s.Head.Replaces == "" {
		return nil
	}
	former, err := r.statement(ctx, s.Head.Replaces)
	if err == nil && former.Head.ReplacedBy != s.Head.ID {
		s.Head.Replaces = ""
	}
	return err
}

// chain returns the ids of the statements that one replaces, the newest first. It ends where two replace each other,
// which is only if both were sent at once.
func (r *Reconciler) chain(ctx context.Context, s *statement) (all []string, err error) {
	for {
		err := r.resolve(ctx, s)
		if err != nil || s.Head.Replaces == "" || slices.Contains(all, s.Head.Replaces) {
			return all, err
		}
		all = append(all, s.Head.Replaces)
		if s, err = r.statement(ctx, s.Head.Replaces); err != nil {
			return nil, err
		}
	}
}
