package shared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/docstore"
)

// finding is the body of a grant, by which a participant finds a policy, or of a stamp, by which it finds a record
// under the policy. The organisation is empty in a grant that nobody has. A store removes no documents. So those of
// organisations that are no participants any more are used again for others, and a policy has no more of them than it
// ever had participants at a time.
type finding struct {
	PolicyNumber string `json:"policyNumber"`
	Organisation string `json:"organisation"`
}

func readFinding(doc docstore.Document) (is finding, err error) {
	if err := json.Unmarshal(doc.Body, &is); err != nil {
		return is, fmt.Errorf("stored %s: how a participant finds a policy: %w", doc.ID, err)
	}
	return is, nil
}

// aboutIndex has what a finding is about: the number of the policy, or the record.
const aboutIndex = "about"

// mostAbout is how many findings about one thing are looked at. There are more than participants only where several
// processes have added some at the same time.
const mostAbout = 64

// have has the participants of a list find a thing by findings with some keys. isNew says that the thing has none yet.
// It returns the findings of those who are no participants any more, as far as no other one has them now.
func (l *Lists) have(
	ctx context.Context, in docstore.Collection, list *List, about string, isNew bool,
	keys func(participant string) docstore.Keys,
) (free []docstore.Document, err error) {
	missing := list.others()
	if !isNew {
		docs, err := in.Find(ctx, everybody, docstore.Query{Equal: docstore.Keys{aboutIndex: about}, Limit: mostAbout})
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			is, err := readFinding(doc)
			if err != nil {
				return nil, err
			}
			at := slices.Index(missing, is.Organisation)
			switch {
			case at >= 0 && is.PolicyNumber == list.PolicyNumber:
				missing = slices.Delete(missing, at, at+1)
			case at >= 0: // the record was moved to this policy
				free = slices.Insert(free, 0, doc)
				missing = slices.Insert(slices.Delete(missing, at, at+1), 0, is.Organisation)
			case !slices.Contains(list.others(), is.Organisation):
				free = append(free, doc)
			}
		}
	}
	for _, participant := range missing {
		body, err := json.Marshal(finding{list.PolicyNumber, participant})
		if err != nil {
			return nil, err
		}
		doc := docstore.Document{Body: body, Keys: maps.Clone(keys(participant))}
		doc.Keys[aboutIndex] = about
		if len(free) > 0 {
			doc.ID, doc.Version = free[0].ID, free[0].Version
			free = free[1:]
			err := in.Replace(ctx, everybody, doc, nil)
			if _, there := docstore.Duplicate(err); err == nil || there {
				continue
			}
			if !errors.Is(err, docstore.ErrStale) {
				return nil, err
			}
		}
		if err := l.insert(ctx, in, doc); err != nil {
			return nil, err
		}
	}
	return free, nil
}
