"""The costs of a machine as people read them."""

PARAMETER_NAMES = {
    "mul": "multiply",
    "add": "add",
    "div": "division",
    "sqrt": "square root",
    "sincos": "sine and cosine",
    "kernel_overhead": "kernel call",
    "startup": "start-up of a message",
    "per_word": "word",
    "setup": "set-up of a message",
    "receive": "receipt of a message",
    "hop": "router that is passed",
    "buffers": "buffers a channel",
}
