"""Random calls of the whole library, in processes of their own: nothing may crash, hang, leak an error or be wrong.

    python tests/fuzz/run.py --seconds 120

=====================  ================================================================================
``run``                the command: options, the summary, the exit code
``watch``              the parent's side: workers, their time limits, what became of every call
``worker``             the child's side: makes calls and judges what they gave
``kinds``              the kinds of calls and how often each is made
``draw``               choices that follow from one number, so that a call can be repeated alone
``arrays``             odd points and distances
``truth``              what a returned tree must satisfy
``*_calls``            the calls of each kind
=====================  ================================================================================
"""
