package reconciliation

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

// profiles is the list of the profiles.
const profiles = "profile"

// mostProfiles is how many profiles there may be.
const mostProfiles = 500

func profileKey(name string) string { return profiles + "/" + name }

// Profile returns a profile and its entity tag. Errors: problem.NotFound, those of the store.
func (r *Reconciler) Profile(ctx context.Context, name string) (p reconciliation.FileProfile, etag string, err error) {
	h, err := r.Find(ctx, profileKey(name), &p)
	if err == nil && h == nil {
		err = problem.New(problem.NotFound, "There is no profile "+problem.Short(name)+". PUT makes it.")
	}
	return p, h.Tag(), err
}

// Profiles returns a page of the profiles by name, those after one. Errors: those of the store.
func (r *Reconciler) Profiles(ctx context.Context, after string, limit int) (reconciliation.FileProfileList, error) {
	page := reconciliation.FileProfileList{Profiles: []reconciliation.FileProfile{}}
	err := folder.Each(ctx, r.Folder, profiles, true, func(_ folder.Head, p reconciliation.FileProfile) {
		if p.Name > after {
			page.Profiles = append(page.Profiles, p)
		}
	})
	slices.SortFunc(page.Profiles, func(a, b reconciliation.FileProfile) int { return cmp.Compare(a.Name, b.Name) })
	if len(page.Profiles) > limit {
		page.Profiles = page.Profiles[:limit]
		page.Next = page.Profiles[limit-1].Name
	}
	return page, err
}

// PutProfile makes a profile, or replaces one; the same again changes nothing. meets checks the conditions of the
// request against the entity tag. Statements that were read stay as they are. Errors: problem.Invalid,
// problem.RecordTooLarge, those of meets and of the store.
func (r *Reconciler) PutProfile(
	ctx context.Context, name string, terms reconciliation.FileProfileTerms, meets func(tag string) error,
) (p reconciliation.FileProfile, etag string, err error) {
	if err := profile.Check(terms, r.types, r.memberOf); err != nil {
		return p, "", err
	}
	err = docstore.Again(func() error {
		p = reconciliation.FileProfile{}
		was, err := r.Find(ctx, profileKey(name), &p)
		if err == nil {
			err = meets(was.Tag())
		}
		if err == nil && was == nil {
			err = r.roomForProfile(ctx)
		}
		if err != nil {
			return err
		}
		if etag = was.Tag(); was != nil && reflect.DeepEqual(p.FileProfileTerms, terms) {
			return nil
		}
		p = reconciliation.FileProfile{Name: name, Version: p.Version + 1, SetBy: request.CallerFrom(ctx).Key(),
			SetAt: scalar.Instant(r.now()), FileProfileTerms: terms}
		is, err := r.Write(ctx, was, profileKey(name), profiles, p)
		if err == nil {
			etag = is.Tag()
		}
		return err
	})
	return p, etag, err
}

// roomForProfile refuses a profile more than there may be.
func (r *Reconciler) roomForProfile(ctx context.Context) error {
	count := 0
	if err := folder.Each(ctx, r.Folder, profiles, true, func(folder.Head, reconciliation.FileProfile) {
		count++
	}); err != nil {
		return err
	}
	if count >= mostProfiles {
		return problem.New(problem.RecordTooLarge, fmt.Sprintf(
			"There are %d profiles, as many as there may be. Replace one.", mostProfiles))
	}
	return nil
}
