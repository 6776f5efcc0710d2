// Package worker estimates arrivals.
package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Estimate asks the model for the arrival of a ship.
func Estimate(ctx context.Context, model Model, id string) (int, error) {
	eta, err := model.Ask(ctx, id)
	if err != nil {
		return 0, fmt.Errorf("estimate %s: %w", id, err)
	}
	return eta, nil
}

// Refresh estimates again what is on disk.
func Refresh(model Model, path string) error {
	data, _ := os.ReadFile(path)
	if len(data) == 0 {
		return errors.New(fmt.Sprintf("%s is empty", path))
	}
	_, err := model.Ask(context.Background(), string(data))
	return err
}
