package book_test

import (
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

func TestMain(m *testing.M) { servicetest.Main(m) }
