"""The subcommands of ``chamfer``, a module each. `chamfer.cli` puts them together."""
