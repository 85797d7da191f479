"""A later paper's measurements of ctHO beside what the model predicts."""
