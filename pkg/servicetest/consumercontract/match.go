package consumercontract

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"
)

// match returns how a response of the provider differs from what the consumer relies on.
func (r Response) match(status int, body map[string]any) error {
	if status != r.Status {
		return fmt.Errorf("the status is %d, not %d", status, r.Status)
	}
	var failures []error
	for name, relied := range r.Body {
		is, has := body[name]
		switch {
		case !has:
			failures = append(failures, fmt.Errorf("%s is missing", name))
		case slices.Contains(r.Exactly, name) && !reflect.DeepEqual(is, relied):
			failures = append(failures, fmt.Errorf("%s is %v, not %v", name, is, relied))
		default:
			failures = append(failures, differs(name, is, relied))
		}
	}
	for _, name := range r.Absent {
		if is, has := body[name]; has {
			failures = append(failures, fmt.Errorf("%s is %v, and must be absent", name, is))
		}
	}
	return errors.Join(failures...)
}

// differs returns how a value differs in its kind from what the consumer relies on. Of a list, the first element is
// compared, and of an object the members that the consumer reads.
func differs(name string, is, relied any) error {
	if kind(is) != kind(relied) {
		return fmt.Errorf("%s is %v, %s and not %s", name, is, kind(is), kind(relied))
	}
	var failures []error
	switch relied := relied.(type) {
	case []any:
		if len(relied) > 0 {
			failures = append(failures, differs(name+"/0", is.([]any)[0], relied[0]))
		}
	case map[string]any:
		for member, value := range relied {
			failures = append(failures, differs(name+"/"+member, is.(map[string]any)[member], value))
		}
	}
	return errors.Join(failures...)
}

// kind returns what a JSON value is, in words: its type, and what a text stands for.
func kind(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "a truth value"
	case float64:
		return "a number"
	case []any:
		if len(value) == 0 {
			return "an empty list"
		}
		return "a list with " + kind(value[0])
	case map[string]any:
		return "an object"
	case string:
		if _, err := time.Parse(time.RFC3339Nano, value); err == nil {
			return "an instant"
		}
		if len(value) == 36 && uuid.Validate(value) == nil { // not a text of 32 digits
			return "an id"
		}
		return "a text"
	}
	return fmt.Sprintf("a %T", value)
}
