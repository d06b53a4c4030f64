"""Time, memory and quality of chamfer beside other libraries.

    python -m benchmarks guard --against PYTHON       this chamfer beside that of another interpreter, call by call
    python -m benchmarks images --data DIR --csv FILE other libraries beside chamfer, on the same data
    python -m benchmarks --list                       what else can be measured
    python -m benchmarks compare OLD.csv NEW.csv      ratios, case by case
    python -m benchmarks tables                       the tables of README and docs, from ``results/*.csv``

All measurements are made by worker processes, which keep the data and make one call after the other when asked to. The
libraries of a case share a worker and take turns; a case whose memory is measured has a worker for each call.

=============  ========================================================================================
``__main__``   the command line
``cases``      what is measured
``clusters``   the same for points on a Dask cluster
``neighbours`` the same for graphs of nearest neighbours
``trees``      the same for k-d trees
``data``       the points, made by seed or read from files
``libraries``  the libraries that are compared
``measure``    how a case is measured: workers, rounds, best and median
``worker``     the process that makes the calls
``rows``       the CSV format of results, the only one
``compare``    two such files, case by case
``tables``     Markdown tables made from such files
``predict``    time and price on a cluster of a size that nobody has tried
=============  ========================================================================================
"""
