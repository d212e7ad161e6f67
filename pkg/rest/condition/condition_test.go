package condition_test

import (
	"errors"
	"net/http"
	"testing"

	"insurance.example/exchange/pkg/rest/condition"
)

func TestConditionsThatNothingMeetsAreNotStale(t *testing.T) {
	const tag = `"a-1"`
	for _, test := range []struct {
		match   []string
		none    []string
		tag     string
		changes error // of a change
		reads   error // of a read
	}{
		{match: []string{`1`}, tag: tag, changes: condition.ErrNoTag, reads: condition.ErrNoTag},
		{match: []string{`a-1`}, tag: tag, changes: condition.ErrNoTag, reads: condition.ErrNoTag},
		{match: []string{``}, tag: tag, changes: condition.ErrNoTag, reads: condition.ErrNoTag},
		{match: []string{`"a-1`}, tag: tag, changes: condition.ErrNoTag, reads: condition.ErrNoTag},
		{match: []string{`"a-1" "b"`}, tag: tag, changes: condition.ErrNoTag, reads: condition.ErrNoTag},
		{match: []string{`w/"a-1"`}, tag: tag, changes: condition.ErrNoTag, reads: condition.ErrNoTag},
		{match: []string{`1`}, changes: condition.ErrNoTag, reads: condition.ErrNoTag},
		{match: []string{`W/"a-1"`}, tag: tag, changes: condition.ErrWeakTag, reads: condition.ErrWeakTag},
		{match: []string{`1, W/"b"`}, tag: tag, changes: condition.ErrWeakTag, reads: condition.ErrWeakTag},
		{match: []string{`W/"a-1", "b"`}, tag: tag, changes: condition.ErrChanged, reads: condition.ErrChanged},
		{match: []string{`"a,b"`}, tag: tag, changes: condition.ErrChanged, reads: condition.ErrChanged},
		{match: []string{`*`}, changes: condition.ErrChanged, reads: condition.ErrChanged},
		{match: []string{`1`, `"a-1"`}, tag: tag},
		{match: []string{`"b" ,	"a-1"`}, tag: tag},
		{match: []string{`*`}, tag: tag},
		{none: []string{`1`}, tag: tag, changes: condition.ErrNoneTag},
		{none: []string{``}, changes: condition.ErrNoneTag},
		{none: []string{`W/"a-1"`}, tag: tag, changes: condition.ErrUnchanged, reads: condition.ErrUnchanged},
		{none: []string{`1, "a-1"`}, tag: tag, changes: condition.ErrUnchanged, reads: condition.ErrUnchanged},
		{none: []string{`*`}, tag: tag, changes: condition.ErrUnchanged, reads: condition.ErrUnchanged},
		{none: []string{`*`}},
		{none: []string{`W/"b"`}, tag: tag},
		{match: []string{`1`}, none: []string{`1`}, tag: tag, changes: condition.ErrNoTag, reads: condition.ErrNoTag},
	} {
		header := http.Header{}
		if test.match != nil {
			header["If-Match"] = test.match
		}
		if test.none != nil {
			header["If-None-Match"] = test.none
		}
		if err := condition.Judge(header, test.tag); !errors.Is(err, test.changes) {
			t.Errorf("a change of %s with %v: %v", test.tag, header, err)
		}
		if err := condition.JudgeRead(header, test.tag); !errors.Is(err, test.reads) {
			t.Errorf("a read of %s with %v: %v", test.tag, header, err)
		}
	}
}
